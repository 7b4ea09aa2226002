package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** The size of a terminal in characters. */
@Json(naming = Json.Naming.LowerUnderscore)
public record WindowSize(int cols, int rows) {}
