package dev.sandglass.engine.life;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Lets captured processes go on in so many sandboxes at once as the machine has processors for, one after the other as they came, and in none for which it
 * has no memory: copies share none. Thread-safe.
 */
final class Restores {
    /** Part of the work is waiting for the disk. */
    static final int LEAST = 4;

    private static final long MIB = 1 << 20;

    private final Semaphore turns;
    private final LongSupplier free;
    private final Duration patience;
    private long underWay;

    /**
     * @param free how many bytes of memory the machine can still give; 0 where that cannot be told
     * @param patience how long one waits for its turn
     */
    Restores(int processors, LongSupplier free, Duration patience) {
        this.turns = new Semaphore(Math.max(LEAST, processors), true);
        this.free = free;
        this.patience = patience;
    }

    /**
     * Brings something back in its turn; {@code limit_reached} if that does not come in time, or there is no memory for it.
     *
     * @param bytes of memory that it needs at least
     */
    <T> T run(long bytes, Supplier<T> restore) {
        await();
        try {
            begin(bytes);
            try {
                return restore.get();
            } finally {
                end(bytes);
            }
        } finally {
            turns.release();
        }
    }

    private void await() {
        try {
            if (!turns.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new SandglassException(
                        ErrorCode.LIMIT_REACHED,
                        "Processes of too many snapshots are being brought back: it was not the turn of this one within " + patience.toSeconds() + " s.",
                        "Try again when there is less to do.");
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
    }

    private synchronized void begin(long bytes) {
        require(bytes, 0);
        underWay += bytes;
    }

    /**
     * Refuses with {@code limit_reached} what there is no memory for.
     *
     * @param freed bytes that will be free before it needs them
     */
    synchronized void require(long bytes, long freed) {
        long left = free.getAsLong();
        if (left > 0 && left + freed < bytes + underWay) {
            throw new SandglassException(
                    ErrorCode.LIMIT_REACHED,
                    "memory: the machine can give " + left / MIB + " MB more (expected: >= " + (bytes + underWay + MIB - 1) / MIB
                            + ", which the processes of the snapshot need, and those that are being brought back now)",
                    "Pause, stop or remove other sandboxes, or take only the disk of the snapshot (disk_only).");
        }
    }

    private synchronized void end(long bytes) {
        underWay -= bytes;
    }
}
