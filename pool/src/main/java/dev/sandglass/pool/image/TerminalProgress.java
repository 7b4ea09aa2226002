package dev.sandglass.pool.image;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** Shows a build's progress: on a terminal one line that is rewritten, elsewhere one line per phase. */
public final class TerminalProgress implements Progress, AutoCloseable {
    private static final String CLEAR_LINE = "\r\033[K";

    private final PrintStream output;
    private final boolean isTerminal;
    private String phase = "";

    public TerminalProgress(PrintStream output, boolean isTerminal) {
        this.output = output;
        this.isTerminal = isTerminal;
    }

    @Override
    public void report(String newPhase, Duration elapsed) {
        String seconds = String.format(Locale.ROOT, "%5.1f s", elapsed.toMillis() / 1000.0);
        if (isTerminal) {
            output.print(CLEAR_LINE + seconds + "  " + newPhase);
        } else if (!newPhase.equals(phase)) {
            output.println(seconds + "  " + newPhase);
        }
        output.flush();
        phase = newPhase;
    }

    /** Ends the line. */
    @Override
    public void close() {
        if (isTerminal && !phase.isEmpty()) {
            output.println();
        }
    }
}
