package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** How much an archive held. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Unpacked(long entries, long bytes) {}
