package dev.sandglass.bench.report;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One contender's times of one thing.
 *
 * @param family the runtime in whose company it is compared
 * @param ratio its median by that of its family's raw engine in the same run; null where that was not measured
 * @param goals what Sandglass is to reach, and whether it did; empty for others
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Row(
        String measure,
        String contender,
        String family,
        int samples,
        double leastMillis,
        double medianMillis,
        double p90Millis,
        @Nullable Double ratio,
        List<Verdict> goals) {}
