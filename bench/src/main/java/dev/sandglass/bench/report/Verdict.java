package dev.sandglass.bench.report;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * What became of a goal.
 *
 * @param goal as SPECIFICATION.md has it
 * @param bound what the value is to be at most, or at least where the goal says so
 * @param unit {@code x} or {@code ms}
 * @param value null where the contender that it is compared with was not measured
 * @param met null where there is no value
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Verdict(String goal, double bound, String unit, @Nullable Double value, @Nullable Boolean met) {
    static Verdict of(Goal goal, double most, String unit, @Nullable Double value) {
        return new Verdict(goal.text(), most, unit, value, value == null ? null : value <= most);
    }

    static Verdict atLeast(Goal goal, double least, @Nullable Double value) {
        return new Verdict(goal.text(), least, "x", value, value == null ? null : value >= least);
    }
}
