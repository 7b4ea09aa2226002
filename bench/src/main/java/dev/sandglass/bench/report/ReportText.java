package dev.sandglass.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A report for people. */
public final class ReportText {
    private static final int NAME_WIDTH = 24;
    private static final int BAR_WIDTH = 24;

    private final Report report;
    private final StringBuilder text = new StringBuilder();

    private ReportText(Report report) {
        this.report = report;
    }

    public static String of(Report report) {
        return new ReportText(report).write();
    }

    private String write() {
        head();
        for (Measure measure : Measure.values()) {
            List<Row> rows = rows(measure);
            if (!rows.isEmpty() && !measure.isPart()) {
                section(measure, rows);
            }
            if (measure == Measure.LIFE) {
                parts();
            }
        }
        figures();
        line("");
        report.notes().forEach(note -> line("note: " + note));
        line("How to read it: the ratio is a contender's median divided by that of the raw engine beneath it (1.00x) in this same run;"
                + " compare ratios between machines, not milliseconds. Smaller is faster. Sandglass was used for a while before, as a daemon is that runs for days.");
        return text.toString();
    }

    private List<Row> rows(Measure measure) {
        return report.rows().stream().filter(row -> row.measure().equals(measure.name())).toList();
    }

    /** The medians of the parts of a life, side by side; what the parts are differs, so they have no ratios. */
    private void parts() {
        List<Measure> parts = Arrays.stream(Measure.values()).filter(Measure::isPart).toList();
        if (rows(parts.getFirst()).isEmpty()) {
            return;
        }
        line("");
        StringBuilder title = new StringBuilder(cell("  of which"));
        parts.forEach(part -> title.append(String.format("  %24s", part.title(report.size()))));
        line(title.toString());
        for (Row first : rows(parts.getFirst())) {
            StringBuilder line = new StringBuilder(cell("  " + first.contender()));
            for (Measure part : parts) {
                rows(part).stream()
                        .filter(row -> row.contender().equals(first.contender()))
                        .forEach(row -> line.append(String.format("  %24s", millis(row.medianMillis()).strip())));
            }
            line(line.toString());
        }
    }

    private static String cell(String text) {
        return String.format("%-" + (NAME_WIDTH + 2) + "s", text);
    }

    private void head() {
        Facts facts = report.facts();
        line("Sandglass " + facts.sandglass() + " beside the raw engines");
        line(machine(facts));
        String engines = facts.engines().entrySet().stream()
                .map(engine -> engine.getKey() + " " + engine.getValue())
                .collect(Collectors.joining(", "));
        line("engines  " + engines + "; pool " + facts.pool());
    }

    static String machine(Facts facts) {
        return String.format(Locale.ROOT, "machine  %d cores (%s), %d MB, Linux %s, load %.1f at the start",
                facts.cores(), facts.processor(), facts.memoryMb(), facts.kernel(), facts.load());
    }

    private void section(Measure measure, List<Row> rows) {
        double greatest = rows.stream().map(Row::ratio).filter(ratio -> ratio != null).mapToDouble(ratio -> ratio).max().orElse(0);
        line("");
        line(measure.title(report.size()) + " (samples: " + rows.getFirst().samples() + ")");
        String family = rows.getFirst().family();
        for (Row row : rows) {
            if (!row.family().equals(family)) {
                family = row.family();
                line("");
            }
            line(line(measure, row, greatest));
            row.goals().forEach(verdict -> line("    " + verdict(verdict)));
        }
    }

    private String line(Measure measure, Row row, double greatest) {
        String times = cell("  " + row.contender()) + " " + millis(row.medianMillis());
        String spread = row.samples() > 1 ? "  p90 " + millis(row.p90Millis()) : " ".repeat("  p90 ".length() + millis(0).length());
        return (times + spread + rate(measure, row.medianMillis()) + "  " + ratio(row.ratio(), greatest)).stripTrailing();
    }

    private static String verdict(Verdict verdict) {
        Double value = verdict.value();
        if (value == null) {
            return "goal " + verdict.goal() + ": not measured";
        }
        String reached = String.format(Locale.ROOT, "%.2f%s", value, verdict.unit().equals("x") ? "x" : " " + verdict.unit());
        return "goal " + verdict.goal() + ": " + (Boolean.TRUE.equals(verdict.met()) ? "met" : "not met") + " (" + reached + ")";
    }

    private String rate(Measure measure, double millis) {
        if (measure.isTransfer()) {
            return String.format(Locale.ROOT, "  %6.0f MB/s", report.size().fileMegabytes() / (millis / 1000));
        }
        int count = measure.count(report.size());
        if (measure.isRequests()) {
            return String.format(Locale.ROOT, "  %6.0f a second", count / (millis / 1000));
        }
        return count == 1 ? "" : String.format(Locale.ROOT, "  %6.1f each", millis / count);
    }

    private void figures() {
        if (report.figures().isEmpty()) {
            return;
        }
        line("");
        line("Sandglass itself");
        for (Figure figure : report.figures()) {
            String value = String.format(Locale.ROOT, figure.value() < 10 ? "%8.2f" : "%8.0f", figure.value());
            line(String.format(
                    Locale.ROOT, "  %-44s %s %s  goal %s: %s", figure.what(), value, figure.unit(), Goal.number(figure.goal()), figure.met() ? "met" : "not met"));
        }
    }

    private static String ratio(@Nullable Double ratio, double greatest) {
        return ratio == null ? "" : String.format(Locale.ROOT, "%7.2fx ", ratio) + Bar.of(ratio, greatest, BAR_WIDTH);
    }

    private static String millis(double millis) {
        return String.format(Locale.ROOT, millis < 10 ? "%8.2f ms" : millis < 1000 ? "%8.1f ms" : "%8.0f ms", millis);
    }

    private void line(String line) {
        text.append(line.stripTrailing()).append('\n');
    }
}
