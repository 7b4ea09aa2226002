package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Termios;
import java.util.function.Supplier;

/** {@code --watch}: the same result again and again, until somebody stops it. */
final class Watching {
    private static final long DEFAULT_MILLIS = 2_000;

    private final Syntax.Flag watch;
    private final Syntax.Value interval;

    Watching(Syntax syntax) {
        watch = syntax.flag("Show it again and again, until Ctrl-C.", "-w", "--watch");
        interval = syntax.value("TIME", "How often with --watch: seconds, or 500ms, 1m; 2 if absent.", "--interval");
    }

    /** Prints once, or for as long as it is watched. */
    int show(Console console, Supplier<String> result) {
        Long asked = Amount.milliseconds("interval", interval.orNull());
        if (!watch.isSet()) {
            console.print(result.get());
            return Verb.OK;
        }
        long pause = asked == null ? DEFAULT_MILLIS : asked;
        while (true) {
            String text = result.get();
            console.print(console.terminal(Console.OUT) ? screen(text) : text);
            try {
                Thread.sleep(pause);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                return Verb.OK;
            }
        }
    }

    /** Drawn over what stood there before, so that it does not flicker; what does not fit is left out. */
    private static String screen(String text) {
        StringBuilder screen = new StringBuilder("\u001b[H");
        text.lines().limit(Math.max(1, Termios.size().rows() - 1)).forEach(line -> screen.append(line).append("\u001b[K\n"));
        return screen.append("\u001b[J").toString();
    }
}
