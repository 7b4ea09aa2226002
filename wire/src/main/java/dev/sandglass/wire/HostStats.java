package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;

/**
 * What this machine has and uses, and what the sandboxes on it use.
 *
 * @param total of all sandboxes that run
 * @param history of that total
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record HostStats(Instant at, int cpus, double cpusUsed, long memoryBytes, long memoryUsedBytes, PoolStatus pool, DaemonStats daemon, Sample total, long intervalMs, List<Sample> history, List<SandboxStats> sandboxes) {}
