package dev.sandglass.cli.terminal;

import java.io.OutputStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * One line that shows how far a transfer is: a bar and the percentage where the total is known, else how much has come. It erases itself at the end.
 * Does nothing where it is not shown.
 */
public final class ProgressBar implements AutoCloseable {
    private static final long EVERY_NANOS = 100_000_000;
    private static final int WIDTH = 30;
    private static final int LONGEST_LABEL = 30;

    private final StatusLine line;
    private final String label;
    private final long total;
    private final boolean shown;
    private final LongSupplier nanoTime;
    private final long begun;
    private long drawnAt;
    private long done;
    private long files;

    /** A total of -1 is unknown. */
    public ProgressBar(OutputStream out, boolean shown, String label, long total) {
        this(out, shown, label, total, System::nanoTime);
    }

    ProgressBar(OutputStream out, boolean shown, String label, long total, LongSupplier nanoTime) {
        this.line = new StatusLine(out);
        this.shown = shown;
        this.label = label.length() > LONGEST_LABEL ? "..." + label.substring(label.length() - LONGEST_LABEL + 3) : label;
        this.total = total;
        this.nanoTime = nanoTime;
        this.begun = nanoTime.getAsLong();
        this.drawnAt = begun;
    }

    public void add(long bytes) {
        done += bytes;
        look();
    }

    /** Another file begins; they are counted where there are several. */
    public void file() {
        files++;
        look();
    }

    private void look() {
        long now = nanoTime.getAsLong();
        if (shown && now - drawnAt > EVERY_NANOS) {
            drawnAt = now;
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
        if (files > 0) {
            text.append(String.format(Locale.ROOT, "%,d %s  ", files, files == 1 ? "file" : "files"));
        }
        line.show(text.append(Bytes.shown(done)).append("  ").append(Bytes.shown(perSecond)).append("/s").toString());
    }
}
