package dev.sandglass.bench.report;

import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A report on agents for people: a column for each. */
public final class AgentText {
    private final AgentReport report;
    private final StringBuilder text = new StringBuilder();

    private AgentText(AgentReport report) {
        this.report = report;
    }

    public static String of(AgentReport report) {
        return new AgentText(report).write();
    }

    private String write() {
        Facts facts = report.facts();
        text.append("Agents in sandboxes of Sandglass ").append(facts.sandglass()).append('\n');
        text.append(ReportText.machine(facts)).append("; pool ").append(facts.pool()).append("\n\n");
        row("", AgentFigures::agent);
        row("version", figures -> shortened(figures.version()));
        row("runtime", AgentFigures::runtime);
        row("build of the template, every step anew", figures -> seconds(figures.buildSeconds()));
        row("  received from the registries", figures -> megabytes(figures.receivedMb()));
        row("build again", figures -> seconds(figures.cachedBuildSeconds()));
        row("snapshot", figures -> megabytes(figures.snapshotMb()));
        row("create to its first word, files not read before", figures -> seconds(figures.firstMillis() / 1000));
        row("create to its first word, " + report.sandboxes() + " in a row: median", figures -> seconds(figures.medianMillis() / 1000));
        row("  p90", figures -> seconds(figures.p90Millis() / 1000));
        row(report.sandboxes() + " at once: median", figures -> seconds(figures.atOnceMedianMillis() / 1000));
        row("  the last", figures -> seconds(figures.atOnceLastMillis() / 1000));
        row("memory of an idle one (PSS), its service included", figures -> megabytes(figures.idleMb()));
        return text.toString();
    }

    private void row(String name, Function<AgentFigures, String> cell) {
        StringBuilder line = new StringBuilder(String.format("%-52s", name));
        report.agents().forEach(figures -> line.append(String.format("  %20s", cell.apply(figures))));
        text.append(line.toString().stripTrailing()).append('\n');
    }

    /** The number alone, without what else a program says of itself. */
    private static String shortened(String version) {
        for (String word : version.split(" ")) {
            if (word.matches("v?[0-9]+[.][0-9.]+.*")) {
                return word;
            }
        }
        return version;
    }

    private static String seconds(@Nullable Double seconds) {
        return seconds == null ? "-" : String.format(Locale.ROOT, seconds < 10 ? "%.2f s" : "%.0f s", seconds);
    }

    private static String megabytes(@Nullable Double megabytes) {
        return megabytes == null ? "-" : String.format(Locale.ROOT, "%.0f MB", megabytes);
    }
}
