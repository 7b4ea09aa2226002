package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** A snapshot as a file on the daemon's machine. */
@Json(naming = Json.Naming.LowerUnderscore)
public record SnapshotFile(String path, long bytes) {}
