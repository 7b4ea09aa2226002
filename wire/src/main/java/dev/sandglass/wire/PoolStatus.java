package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** Where root filesystems live, and how much room is left. */
@Json(naming = Json.Naming.LowerUnderscore)
public record PoolStatus(String kind, long freeBytes, @Nullable String note) {}
