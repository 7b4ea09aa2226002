package dev.sandglass.bench.report;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * One contender's times of one thing.
 *
 * @param family the runtime in whose company it is compared
 * @param ratio its median by that of its family's raw engine in the same run; null where that was not measured
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
        @Nullable Double ratio) {}
