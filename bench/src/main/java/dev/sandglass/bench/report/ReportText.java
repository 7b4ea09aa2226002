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
    private static final int MEBI = 1 << 20;

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
        line("");
        report.notes().forEach(note -> line("note: " + note));
        line("How to read it: the ratio is a contender's median divided by that of the raw engine beneath it (1.00x) in this same run;"
                + " compare ratios between machines, not milliseconds. Smaller is faster.");
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
        parts.forEach(part -> title.append(String.format("  %24s", part.title())));
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
        line(String.format(Locale.ROOT, "machine  %d cores (%s), %d MB, Linux %s, load %.1f at the start",
                facts.cores(), facts.processor(), facts.memoryMb(), facts.kernel(), facts.load()));
        String engines = facts.engines().entrySet().stream()
                .map(engine -> engine.getKey() + " " + engine.getValue())
                .collect(Collectors.joining(", "));
        line("engines  " + engines + "; pool " + facts.pool());
    }

    private void section(Measure measure, List<Row> rows) {
        double greatest = rows.stream().map(Row::ratio).filter(ratio -> ratio != null).mapToDouble(ratio -> ratio).max().orElse(0);
        line("");
        line(measure.title() + " (samples: " + rows.getFirst().samples() + ")");
        String family = rows.getFirst().family();
        for (Row row : rows) {
            if (!row.family().equals(family)) {
                family = row.family();
                line("");
            }
            line(line(measure, row, greatest));
        }
    }

    private static String line(Measure measure, Row row, double greatest) {
        String times = cell("  " + row.contender()) + String.format(" %s  p90 %s", millis(row.medianMillis()), millis(row.p90Millis()));
        String rate = measure.isTransfer() ? String.format(Locale.ROOT, "  %6.0f MB/s", Measure.FILE_BYTES / MEBI / (row.medianMillis() / 1000)) : "";
        return (times + rate + "  " + ratio(row.ratio(), greatest)).stripTrailing();
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
