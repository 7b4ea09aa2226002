package dev.sandglass.cli;

import dev.sandglass.cli.terminal.LiveRows;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A race as it goes on: on a terminal a row for each branch, drawn again and again; elsewhere every line that one of them prints. */
final class RaceView implements AutoCloseable {
    private static final long EVERY_MILLIS = 100;
    private static final int LONGEST_LINE = 500;

    private final Console console;
    private final List<RaceEntry> entries;
    private final @Nullable LiveRows rows;
    private final Object lines = new Object();
    private boolean over;

    RaceView(Console console, List<RaceEntry> entries) {
        this.console = console;
        this.entries = entries;
        this.rows = console.terminal(Console.ERR) ? new LiveRows(console.err()) : null;
        if (rows != null) {
            Thread.ofPlatform().daemon().name("race-view").start(this::draw);
        }
    }

    /** Where the output of a branch goes. */
    OutputStream output(RaceEntry entry) {
        return rows != null ? new LastLine(entry) : new WhileItRuns(entry, new LabelledStream(new LabelledOutput(label(entry), console.err()), lines));
    }

    /** Something went wrong with a branch that is still in the race. */
    void problem(RaceEntry entry, String what) {
        if (rows != null) {
            entry.said(what);
        } else if (!entry.isOver()) {
            synchronized (lines) {
                console.warn(label(entry) + what + "\n");
            }
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            over = true;
            notifyAll();
        }
        if (rows != null) {
            rows.close();
        }
    }

    private static String label(RaceEntry entry) {
        return entry.branch() + " | ";
    }

    private synchronized void draw() {
        try {
            while (!over && rows != null) {
                rows.show(entries.stream().map(RaceEntry::row).toList());
                wait(EVERY_MILLIS);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a branch prints after it was beaten is of no interest. */
    private static final class WhileItRuns extends FilterOutputStream {
        private final RaceEntry entry;

        WhileItRuns(RaceEntry entry, OutputStream shown) {
            super(shown);
            this.entry = entry;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (!entry.isOver()) {
                out.write(bytes, offset, length);
            }
        }

        @Override
        public void close() throws IOException {
            if (!entry.isOver()) {
                out.close();
            }
        }
    }

    /** Keeps the last line that has something in it. */
    private static final class LastLine extends OutputStream {
        private final RaceEntry entry;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        LastLine(RaceEntry entry) {
            this.entry = entry;
        }

        @Override
        public void write(int value) {
            if (value == '\n' || value == '\r') {
                line.reset();
            } else if (line.size() < LONGEST_LINE) {
                line.write(value);
                entry.said(line.toString(StandardCharsets.UTF_8));
            }
        }
    }
}
