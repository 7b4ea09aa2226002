package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.TraceStep;
import java.util.List;
import java.util.Locale;

/** Where the time of a piece of work went, as bars. */
final class TraceText {
    private static final int WIDTH = 40;

    private TraceText() {}

    static String of(List<TraceStep> steps) {
        double whole = steps.stream().mapToDouble(TraceStep::ms).sum();
        StringBuilder text = new StringBuilder();
        for (TraceStep step : steps) {
            int bar = whole <= 0 ? 0 : (int) Math.round(step.ms() / whole * WIDTH);
            text.append(line(step.name(), step.ms(), "#".repeat(bar)));
        }
        return text.append(line("in all", whole, "")).toString();
    }

    private static String line(String name, double millis, String bar) {
        return String.format(Locale.ROOT, "  %-18s %8.2f ms  %s", Inert.text(name), millis, bar).stripTrailing() + "\n";
    }
}
