package dev.sandglass.cli.terminal;

import java.io.OutputStream;

/** One line that shows how far a transfer is; it erases itself at the end. Does nothing where it is not shown. */
public final class ProgressBar implements AutoCloseable {
    private static final long EVERY_NANOS = 100_000_000;
    private static final int WIDTH = 30;
    private static final int LONGEST_LABEL = 30;

    private final StatusLine line;
    private final String label;
    private final long total;
    private final boolean shown;
    private final long begun = System.nanoTime();
    private long drawnAt = begun;
    private long done;

    /** A total of -1 is unknown. */
    public ProgressBar(OutputStream out, boolean shown, String label, long total) {
        this.line = new StatusLine(out);
        this.shown = shown;
        this.label = label.length() > LONGEST_LABEL ? "..." + label.substring(label.length() - LONGEST_LABEL + 3) : label;
        this.total = total;
    }

    public void add(long bytes) {
        done += bytes;
        if (shown && System.nanoTime() - drawnAt > EVERY_NANOS) {
            drawnAt = System.nanoTime();
            draw();
        }
    }

    public long done() {
        return done;
    }

    @Override
    public void close() {
        line.close();
    }

    private void draw() {
        long perSecond = (long) (done / ((drawnAt - begun) / 1e9));
        StringBuilder text = new StringBuilder(label).append("  ");
        if (total > 0) {
            int filled = (int) Math.min(WIDTH, done * WIDTH / total);
            text.append('[').repeat('=', filled).repeat(' ', WIDTH - filled).append("] ");
            text.append(Math.min(100, done * 100 / total)).append("%  ");
        }
        line.show(text.append(Bytes.shown(done)).append("  ").append(Bytes.shown(perSecond)).append("/s").toString());
    }
}
