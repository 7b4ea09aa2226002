package dev.sandglass.engine.ledger;

import java.time.Duration;
import java.util.concurrent.Semaphore;

/** Writes what came a moment later, together with what came meanwhile: many small changes cost the ledger one write. Thread-safe. */
public final class WriteBehind implements AutoCloseable {
    /** Not a wait for anything: what comes meanwhile is in the same write. */
    private static final Duration GATHERING = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Runnable write;
    private final Semaphore arrivals = new Semaphore(0);
    private final Thread writer;

    /** @param write writes all that there is, and throws nothing */
    public WriteBehind(String name, Runnable write) {
        this.write = write;
        this.writer = Thread.ofVirtual().name(name).start(this::run);
    }

    /** There is something to write. Who says so does not wait. */
    public void arrived() {
        arrivals.release();
    }

    private void run() {
        try {
            while (true) {
                arrivals.acquire();
                Thread.sleep(GATHERING);
                arrivals.drainPermits();
                write.run();
            }
        } catch (InterruptedException stopped) {
            write.run();
        }
    }

    /** Writes what there is. */
    @Override
    public void close() {
        writer.interrupt();
        try {
            writer.join(PATIENCE);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
