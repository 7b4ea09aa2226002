package dev.sandglass.cli.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Some rows at the end of the terminal on standard error, drawn over again and again. They are erased at the end, and also when the process
 * is told to end before that. Thread-safe.
 */
public final class LiveRows implements AutoCloseable {
    private static final String ERASE_LINE_END = "\u001b[K";
    private static final String ERASE_BELOW = "\u001b[J";

    private final OutputStream out;
    private final Thread whenToldToEnd = new Thread(this::erase, "erase-live-rows");
    private int drawn;
    private boolean over;

    public LiveRows(OutputStream out) {
        this.out = out;
        Runtime.getRuntime().addShutdownHook(whenToldToEnd);
    }

    /** Shows as much of each row as fits, and as many rows as do. Each is written at once, so that nobody sees a half. */
    public synchronized void show(List<String> rows) {
        if (over) {
            return;
        }
        int room = Math.max(1, Termios.errorSize().rows() - 1);
        int columns = Termios.errorSize().cols() - 1;
        List<String> fitting = rows.size() <= room ? rows : rows.subList(0, room);
        StringBuilder text = new StringBuilder(toTheTop());
        for (String row : fitting) {
            String safe = Inert.text(row);
            text.append(safe, 0, Math.min(safe.length(), columns)).append(ERASE_LINE_END).append('\n');
        }
        drawn = fitting.size();
        print(text.append(ERASE_BELOW).toString());
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
        if (!over && drawn > 0) {
            print(toTheTop() + ERASE_BELOW);
        }
        over = true;
    }

    private String toTheTop() {
        return drawn == 0 ? "\r" : "\r\u001b[" + drawn + "A";
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
