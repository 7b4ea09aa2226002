package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.time.Instant;

/** What a sandbox used at a moment, in bytes and in percent of the processors that it may use. */
@Json
public record Metric(
        Instant timestamp, long timestampUnix, int cpuCount, double cpuUsedPct, long memUsed, long memTotal, long memCache, long diskUsed, long diskTotal) {}
