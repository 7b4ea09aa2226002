package dev.sandglass.bench.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** All samples of a run, by what was measured and by whom, in the order in which they first came. Not thread-safe. */
public final class Results {
    /** Who was measured. */
    public record Who(String name, String family, Part part) {}

    /** What somebody is in its family. */
    public enum Part {
        /** Sandglass, which has goals. */
        OURS,
        /** The raw engine by which its family is divided. */
        BASELINE,
        BESIDE
    }

    private final Map<Measure, Map<Who, Samples>> samples = new EnumMap<>(Measure.class);

    public void add(Measure measure, Who who, long nanos) {
        samples.computeIfAbsent(measure, _ -> new LinkedHashMap<>())
                .computeIfAbsent(who, _ -> new Samples())
                .add(nanos);
    }

    /** One row for each contender and measure; families together, whoever came first. */
    public List<Row> rows(List<Who> order) {
        List<Row> rows = new ArrayList<>();
        samples.forEach((measure, byContender) -> {
            for (Who who : order) {
                Samples own = byContender.get(who);
                if (own != null) {
                    rows.add(row(measure, who, own, byContender));
                }
            }
        });
        return rows;
    }

    private static Row row(Measure measure, Who who, Samples own, Map<Who, Samples> all) {
        Double ratio = measure.isPart() ? null : ratio(own, all, baselineOf(who.family()));
        List<Verdict> verdicts = new ArrayList<>();
        if (who.part() == Part.OURS) {
            measure.goals(who.family()).forEach(goal -> verdicts.add(verdict(goal, who, own, all)));
        }
        return new Row(
                measure.name(), who.name(), who.family(), own.count(), own.leastMillis(), own.medianMillis(), own.p90Millis(), ratio, verdicts);
    }

    private static Verdict verdict(Goal goal, Who who, Samples own, Map<Who, Samples> all) {
        return switch (goal) {
            case Goal.Times(double most) -> Verdict.of(goal, most, "x", ratio(own, all, baselineOf(who.family())));
            case Goal.TimesOf(double most, String contender) ->
                Verdict.of(goal, most, "x", ratio(own, all, other -> other.name().equals(contender)));
            case Goal.Throughput(double least, String contender) -> Verdict.atLeast(goal, least, inverse(ratio(own, all, other -> other.name().equals(contender))));
            case Goal.Millis(double most) -> Verdict.of(goal, most, "ms", own.medianMillis());
        };
    }

    /** How much faster, of how much longer. */
    private static @Nullable Double inverse(@Nullable Double ratio) {
        return ratio == null ? null : 1 / ratio;
    }

    private static Predicate<Who> baselineOf(String family) {
        return who -> who.part() == Part.BASELINE && who.family().equals(family);
    }

    private static @Nullable Double ratio(Samples own, Map<Who, Samples> all, Predicate<Who> beside) {
        return all.entrySet().stream()
                .filter(entry -> beside.test(entry.getKey()))
                .map(entry -> own.medianMillis() / entry.getValue().medianMillis())
                .findFirst()
                .orElse(null);
    }
}
