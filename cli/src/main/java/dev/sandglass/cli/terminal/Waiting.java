package dev.sandglass.cli.terminal;

import java.io.OutputStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Tells on a terminal what is being waited for, and for how long, once that takes more than a moment. Thread-safe. */
public final class Waiting implements AutoCloseable {
    static final String THREAD = "waiting";
    static final long MOMENT_MILLIS = 300;
    private static final long EVERY_MILLIS = 100;

    private final StatusLine line;
    private final String what;
    private final LongSupplier nanoTime;
    private final long begun;
    private String step = "";
    private boolean over;

    /** Does nothing where it is not shown. */
    public Waiting(OutputStream out, boolean shown, String what) {
        this(out, shown, what, System::nanoTime);
    }

    Waiting(OutputStream out, boolean shown, String what, LongSupplier nanoTime) {
        this.line = new StatusLine(out);
        this.what = what;
        this.nanoTime = nanoTime;
        this.begun = nanoTime.getAsLong();
        if (shown) {
            Thread thread = new Thread(this::draw, THREAD);
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** What is being done at the moment. */
    public synchronized void step(String name) {
        step = name;
        notifyAll();
    }

    @Override
    public void close() {
        synchronized (this) {
            over = true;
            notifyAll();
        }
        line.close();
    }

    private synchronized void draw() {
        try {
            while (!over) {
                long millis = (nanoTime.getAsLong() - begun) / 1_000_000;
                if (millis >= MOMENT_MILLIS) {
                    String seconds = String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
                    line.show(what + (step.isEmpty() ? "" : ": " + step) + " ... " + seconds);
                }
                wait(millis < MOMENT_MILLIS ? MOMENT_MILLIS - millis : EVERY_MILLIS);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
