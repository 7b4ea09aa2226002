package dev.sandglass.server.e2b.connect;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** The last message of a stream. */
@Json
record StreamEnd(@Nullable RpcError error) {}
