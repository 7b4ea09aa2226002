package dev.sandglass.bench.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All samples of a run, by what was measured and by whom, in the order in which they first came. Not thread-safe. */
public final class Results {
    /** Who was measured: {@code baseline} is the raw engine by which its family is divided. */
    public record Who(String name, String family, boolean baseline) {}

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
                    rows.add(row(measure, who, own, baseline(byContender, who.family())));
                }
            }
        });
        return rows;
    }

    private static Row row(Measure measure, Who who, Samples own, @Nullable Samples baseline) {
        Double ratio = baseline == null || measure.isPart() ? null : own.medianMillis() / baseline.medianMillis();
        return new Row(
                measure.name(), who.name(), who.family(), own.count(), own.leastMillis(), own.medianMillis(), own.p90Millis(), ratio);
    }

    private static @Nullable Samples baseline(Map<Who, Samples> samples, String family) {
        return samples.entrySet().stream()
                .filter(entry -> entry.getKey().baseline() && entry.getKey().family().equals(family))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }
}
