package dev.sandglass.cli.terminal;

import java.time.Duration;
import java.util.function.LongSupplier;

/** A clock that goes only as far as a test moves it, and knows how often it was looked at. Thread-safe. */
final class HandClock implements LongSupplier {
    private long nanos;
    private long looks;

    @Override
    public synchronized long getAsLong() {
        looks++;
        notifyAll();
        return nanos;
    }

    synchronized void advance(Duration time) {
        nanos += time.toNanos();
    }

    /** Waits until it was looked at that many times more. */
    synchronized void awaitLooks(int more) throws InterruptedException {
        for (long until = looks + more; looks < until; ) {
            wait();
        }
    }
}
