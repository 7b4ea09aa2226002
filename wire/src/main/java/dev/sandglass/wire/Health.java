package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** The answer of a daemon that works. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Health(String status) {}
