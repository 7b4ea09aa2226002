package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** A request to signal a command. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Signal(String signal) {}
