package dev.sandglass.bench.report;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * What was measured of one agent. Times are from the wish for a sandbox until the agent has said its version.
 *
 * @param version what it said
 * @param buildSeconds every step of its template done anew; null where that was not wanted
 * @param receivedMb what came from the registries for that
 * @param cachedBuildSeconds the same build again
 * @param snapshotMb what the template adds to the base image
 * @param firstMillis in the first sandbox of a new snapshot, whose files nobody has read yet
 * @param medianMillis in sandboxes one after another
 * @param atOnceMedianMillis in as many sandboxes at once
 * @param atOnceLastMillis until the last of those
 * @param idleMb the memory of the processes of one that does nothing (PSS), with the agent's service if it has one
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record AgentFigures(
        String agent,
        String version,
        String runtime,
        @Nullable Double buildSeconds,
        @Nullable Double receivedMb,
        double cachedBuildSeconds,
        double snapshotMb,
        double firstMillis,
        double medianMillis,
        double p90Millis,
        double atOnceMedianMillis,
        double atOnceLastMillis,
        double idleMb) {}
