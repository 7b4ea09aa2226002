package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Whose turn it is to have a command started. Hundreds that begin at once keep each other from beginning, on gVisor for minutes, so a few
 * begin and the others wait. Whoever waits is told that the agent is stuck when none of them began for a while. Thread-safe.
 */
final class Starts {
    private static final int AT_ONCE = 16;

    /** For somebody behind many others, all of whom begin. */
    private static final Duration IN_ALL = Duration.ofMinutes(5);

    private interface Wait {
        boolean isOver(long nanos) throws InterruptedException;
    }

    private final String name;
    private final Semaphore turns = new Semaphore(AT_ONCE, true);
    private volatile long last = System.nanoTime();

    Starts(String name) {
        this.name = name;
    }

    /** Waits for a turn, which lasts until {@link #end}. */
    void begin() {
        try {
            await(nanos -> turns.tryAcquire(nanos, TimeUnit.NANOSECONDS));
        } catch (InterruptedException stopped) {
            throw Futures.stopping(stopped);
        }
    }

    void end() {
        last = System.nanoTime();
        turns.release();
    }

    /** Waits for one that has its turn; {@code guest_timeout} when it does not begin in time. */
    void await(CompletableFuture<?> started) throws InterruptedException {
        await(nanos -> Futures.await(started, nanos, TimeUnit.NANOSECONDS) != null);
    }

    private void await(Wait wait) throws InterruptedException {
        long begun = System.nanoTime();
        for (long until = begun + Outbox.DEADLINE.toNanos(); !wait.isOver(until - System.nanoTime()); ) {
            long more = Math.min(last + Outbox.DEADLINE.toNanos() - until, begun + IN_ALL.toNanos() - until);
            if (more <= 0) {
                throw new SandglassException(
                        ErrorCode.GUEST_TIMEOUT,
                        "The agent of " + name + " has not started the command within " + TimeUnit.NANOSECONDS.toSeconds(until - begun) + " s.",
                        "The sandbox may be out of processor time; look for what runs in it.");
            }
            until += more;
        }
    }
}
