package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** What a sandbox may use at most. */
@Json(naming = Json.Naming.LowerUnderscore)
public record SandboxLimits(long memoryBytes, double cpus, long diskBytes, long processes) {}
