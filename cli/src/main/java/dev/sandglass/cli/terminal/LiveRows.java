package dev.sandglass.cli.terminal;

import java.io.OutputStream;
import java.util.List;

/** Some rows at the end of the terminal. Thread-safe. */
public final class LiveRows extends Drawing {
    private static final String ERASE_LINE_END = "\u001b[K";
    private static final String ERASE_BELOW = "\u001b[J";

    private int drawn;

    public LiveRows(OutputStream out) {
        super(out);
    }

    /** Shows as much of each row as fits, and as many rows as do. */
    public synchronized void show(List<String> rows) {
        int room = Math.max(1, Termios.errorSize().rows() - 1);
        List<String> fitting = rows.size() <= room ? rows : rows.subList(0, room);
        StringBuilder text = new StringBuilder(toTheTop());
        for (String row : fitting) {
            text.append(fitting(row)).append(ERASE_LINE_END).append('\n');
        }
        drawn = fitting.size();
        draw(text.append(ERASE_BELOW).toString());
    }

    @Override
    String erased() {
        return toTheTop() + ERASE_BELOW;
    }

    private String toTheTop() {
        return drawn == 0 ? "\r" : "\r\u001b[" + drawn + "A";
    }
}
