package dev.sandglass.cli.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What stands at the end of the terminal on standard error and is drawn over again and again. It is erased at the end, and also when the process
 * is told to end before that. Thread-safe.
 */
abstract class Drawing implements AutoCloseable {
    private final OutputStream out;
    private final Thread whenToldToEnd = new Thread(this::erase, "erase-drawing");
    private boolean drawn;
    private boolean over;

    Drawing(OutputStream out) {
        this.out = out;
    }

    /** What makes the terminal as it was before the last drawing. */
    abstract String erased();

    /** Writes all of it at once, so that nobody sees a half. */
    final synchronized void draw(String text) {
        if (over) {
            return;
        }
        if (!drawn) {
            try {
                Runtime.getRuntime().addShutdownHook(whenToldToEnd);
            } catch (IllegalStateException endingAlready) {
                over = true;
                return;
            }
        }
        drawn = true;
        print(text);
    }

    /** As much of a text as fits into a row. */
    static String fitting(String text) {
        String safe = Inert.text(text);
        return safe.substring(0, Math.min(safe.length(), Termios.errorSize().cols() - 1));
    }

    @Override
    public final void close() {
        erase();
        try {
            Runtime.getRuntime().removeShutdownHook(whenToldToEnd);
        } catch (IllegalStateException endingAlready) {
            return;
        }
    }

    private synchronized void erase() {
        if (drawn && !over) {
            print(erased());
        }
        over = true;
    }

    private void print(String text) {
        try {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException nobodyLooks) {
            over = true;
        }
    }
}
