package dev.sandglass.cli.terminal;

import java.io.OutputStream;

/** The last line of the terminal. Thread-safe. */
public final class StatusLine extends Drawing {
    private static final String ERASED = "\r\u001b[K";

    public StatusLine(OutputStream out) {
        super(out);
    }

    /** Shows as much of a text as fits. */
    public void show(String text) {
        draw(ERASED + fitting(text));
    }

    @Override
    String erased() {
        return ERASED;
    }
}
