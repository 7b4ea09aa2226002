package dev.sandglass.server.e2b.connect;

import io.avaje.jsonb.Json;

/** An error as it stands in an answer. */
@Json
record RpcError(String code, String message) {}
