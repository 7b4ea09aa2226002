package dev.sandglass.bench;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C: the work in hand ends, everything is taken away, and only then does the program go. Thread-safe. */
public final class Interruption {
    private static final int PATIENCE_SECONDS = 60;

    private final CountDownLatch cleanedUp = new CountDownLatch(1);
    private volatile boolean asked;

    /** Says that the rest of the run is not wanted any more. */
    public static final class StoppedException extends IOException {
        StoppedException() {
            super("stopped");
        }
    }

    /** From now on a signal to end waits for {@link #over}. */
    void install() {
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
            asked = true;
            try {
                cleanedUp.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    /** Fails if the rest is not wanted any more. */
    public void check() throws StoppedException {
        if (asked) {
            throw new StoppedException();
        }
    }

    /** Nothing is left to take away. */
    void over() {
        cleanedUp.countDown();
    }
}
