package dev.sandglass.cli.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The last line of the terminal on standard error, drawn over again and again. It is erased at the end, and also when the process is
 * told to end before that. Thread-safe.
 */
public final class StatusLine implements AutoCloseable {
    private static final String ERASED = "\r\u001b[K";

    private final OutputStream out;
    private final Thread whenToldToEnd = new Thread(this::erase, "erase-status-line");
    private boolean drawn;
    private boolean over;

    public StatusLine(OutputStream out) {
        this.out = out;
    }

    /** Shows as much of a text as fits. */
    public synchronized void show(String text) {
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
        String safe = Inert.text(text);
        print(ERASED + safe.substring(0, Math.min(safe.length(), Termios.errorSize().cols() - 1)));
    }

    @Override
    public void close() {
        erase();
        try {
            Runtime.getRuntime().removeShutdownHook(whenToldToEnd);
        } catch (IllegalStateException endingAlready) {
            return;
        }
    }

    private synchronized void erase() {
        over = true;
        if (drawn) {
            drawn = false;
            print(ERASED);
        }
    }

    private void print(String text) {
        try {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException nobodyLooks) {
            drawn = false;
        }
    }
}
