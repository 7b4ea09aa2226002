package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Termios;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.function.Supplier;

/** {@code --watch}: the same result again and again, until somebody stops it. */
final class Watching {
    private static final long DEFAULT_MILLIS = 2_000;
    private static final String NO_WRAP = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";
    private static final String TO_THE_TOP = "\u001b[H";
    private static final String ERASE_LINE_END = "\u001b[K";
    private static final String ERASE_BELOW = "\u001b[J";

    private final Syntax.Flag watch;
    private final Syntax.Value interval;

    Watching(Syntax syntax) {
        watch = syntax.flag("Show it again and again, until Ctrl-C.", "-w", "--watch");
        interval = syntax.value("TIME", "How often with --watch: seconds, or 500ms, 1m; 2 if absent.", "--interval");
    }

    /** Prints once, or for as long as it is watched. */
    int show(Console console, Supplier<String> result) {
        Long asked = Amount.milliseconds("interval", interval.orNull());
        String text = result.get();
        if (!watch.isSet()) {
            console.print(text);
            return Verb.OK;
        }
        boolean screen = console.terminal(Console.OUT);
        if (screen) {
            // What stands on the terminal goes up into its history, and is not drawn over.
            console.print("\n".repeat(Termios.size().rows()));
        }
        while (true) {
            console.print(screen ? screen(text) : text);
            try {
                Thread.sleep(asked == null ? DEFAULT_MILLIS : asked);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                return Verb.OK;
            }
            text = next(console, result, screen);
        }
    }

    /** A daemon that is away for a while is told of, and asked again. */
    private static String next(Console console, Supplier<String> result, boolean screen) {
        try {
            return result.get();
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.DAEMON_UNREACHABLE && problem.code() != ErrorCode.SHUTTING_DOWN) {
                throw problem;
            }
            String told = Failure.of(problem).text(Format.TABLE);
            if (screen) {
                return told;
            }
            console.warn(told);
            return "";
        }
    }

    /**
     * Drawn over what stood there before, so that it does not flicker; what does not fit is left out. It is written at once and ends on a
     * line of its own, so that whoever is stopped in between leaves a terminal that is in order.
     */
    private static String screen(String text) {
        StringBuilder screen = new StringBuilder(NO_WRAP).append(TO_THE_TOP);
        text.lines().limit(Math.max(1, Termios.size().rows() - 1)).forEach(line -> screen.append(line).append(ERASE_LINE_END).append('\n'));
        return screen.append(ERASE_BELOW).append(WRAP).toString();
    }
}
