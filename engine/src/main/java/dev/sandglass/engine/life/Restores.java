package dev.sandglass.engine.life;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
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

    private final int most;
    private final LongSupplier free;
    private final Duration patience;
    /** Those that wait, as they came. */
    private final Queue<Object> waiting = new ArrayDeque<>();
    /** The sandboxes that somebody is about to destroy, each as often as there are such. */
    private final List<SandboxId> unwanted = new ArrayList<>();

    private int turns;
    private long underWay;

    /** That a sandbox is about to be destroyed; until it is closed. */
    interface Unwanted extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * @param free how many bytes of memory the machine can still give; 0 where that cannot be told
     * @param patience how long one waits for its turn
     */
    Restores(int processors, LongSupplier free, Duration patience) {
        this.most = Math.max(LEAST, processors);
        this.free = free;
        this.patience = patience;
    }

    /**
     * Brings something back in its turn; {@code limit_reached} if that does not come in time, or there is no memory for it, {@code conflict} if the sandbox is
     * about to be destroyed.
     *
     * @param bytes of memory that it needs at least
     */
    <T> T run(SandboxId id, long bytes, Supplier<T> restore) {
        takeTurn(id);
        try {
            begin(bytes);
            try {
                return restore.get();
            } finally {
                end(bytes);
            }
        } finally {
            endTurn();
        }
    }

    /** Lets what waits for its turn to be brought back in a sandbox give up. */
    synchronized Unwanted unwanted(SandboxId id) {
        unwanted.add(id);
        notifyAll();
        return () -> {
            synchronized (this) {
                unwanted.remove(id);
            }
        };
    }

    private synchronized void takeTurn(SandboxId id) {
        Object me = new Object();
        waiting.add(me);
        try {
            long end = System.nanoTime() + patience.toNanos();
            while (!isTurnOf(me)) {
                long left = end - System.nanoTime();
                if (unwanted.contains(id) || left <= 0) {
                    break;
                }
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            if (unwanted.contains(id)) {
                throw new SandglassException(
                        ErrorCode.CONFLICT, id + " is being destroyed, so no processes are brought back in it.", "It goes, and nothing is to be done.");
            }
            if (!isTurnOf(me)) {
                throw new SandglassException(
                        ErrorCode.LIMIT_REACHED,
                        "Processes of too many snapshots are being brought back: it was not the turn of this one within " + patience.toSeconds() + " s.",
                        "Try again when there is less to do.");
            }
            turns++;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        } finally {
            waiting.remove(me);
            notifyAll();
        }
    }

    private boolean isTurnOf(Object one) {
        return turns < most && waiting.element().equals(one);
    }

    private synchronized void endTurn() {
        turns--;
        notifyAll();
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
