package dev.sandglass.cli.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** One line that shows how far a transfer is; it erases itself at the end. Does nothing where it is not shown. */
public final class ProgressBar implements AutoCloseable {
    private static final long EVERY_NANOS = 100_000_000;
    private static final int WIDTH = 30;

    private final OutputStream out;
    private final String label;
    private final long total;
    private final boolean shown;
    private final long begun = System.nanoTime();
    private long drawnAt = begun;
    private long done;
    private boolean drawn;

    /** A total of -1 is unknown. */
    public ProgressBar(OutputStream out, boolean shown, String label, long total) {
        this.out = out;
        this.shown = shown;
        this.label = Inert.text(label);
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
        if (drawn) {
            print("\r\u001b[K");
        }
    }

    private void draw() {
        drawn = true;
        long perSecond = (long) (done / ((drawnAt - begun) / 1e9));
        StringBuilder line = new StringBuilder("\r\u001b[K").append(label).append("  ");
        if (total > 0) {
            int filled = (int) Math.min(WIDTH, done * WIDTH / total);
            line.append('[').repeat('=', filled).repeat(' ', WIDTH - filled).append("] ");
            line.append(Math.min(100, done * 100 / total)).append("%  ");
        }
        print(line.append(Bytes.shown(done)).append("  ").append(Bytes.shown(perSecond)).append("/s").toString());
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
