package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;

/** An error; the code is the status, which clients read here. */
@Json
public record Refusal(int code, String message) {}
