package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** One of the copies that were asked for, or why there is none. */
@Json
public record ForkResult(@Nullable Created sandbox, @Nullable Refusal error) {}
