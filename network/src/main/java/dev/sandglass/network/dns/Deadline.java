package dev.sandglass.network.dns;

import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The moment at which somebody stops waiting. */
record Deadline(long nanos) {
    static Deadline in(Duration time) {
        return new Deadline(System.nanoTime() + time.toNanos());
    }

    Duration left() {
        return Duration.ofNanos(Math.max(0, nanos - System.nanoTime()));
    }

    boolean isOver() {
        return left().isZero();
    }

    /** What sockets take for a timeout, in which 0 would be for ever. */
    int millisLeft() throws SocketTimeoutException {
        if (isOver()) {
            throw new SocketTimeoutException("no answer in time");
        }
        return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos - System.nanoTime()));
    }
}
