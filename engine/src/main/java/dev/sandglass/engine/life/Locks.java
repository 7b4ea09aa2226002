package dev.sandglass.engine.life;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** One lock per sandbox, there only while somebody holds or wants it. */
final class Locks {
    /** How long somebody who asks for something waits for what another has asked for. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A lock that is held until it is closed. */
    interface Held extends AutoCloseable {
        @Override
        void close();
    }

    private static final class Shared {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition nobodySeizes = lock.newCondition();
        private final AtomicInteger seizers = new AtomicInteger();
        private int users;
        /** What is done under it, and since when: written by who holds it. */
        private volatile String operation = "";

        private volatile long since;
    }

    private final Map<SandboxId, Shared> locks = new HashMap<>();

    /** For work that nobody asked for, or that must be done: it waits for as long as others take, whose own waits are bounded. */
    Held hold(SandboxId id, String operation) {
        Shared shared = use(id);
        shared.lock.lock();
        return held(id, shared, operation);
    }

    /**
     * For its end, before all that others ask for and have not begun: who had to break off something for it leaves a sandbox of which nobody else may make anything.
     */
    Held seize(SandboxId id, String operation) {
        Shared shared = use(id);
        shared.seizers.incrementAndGet();
        shared.lock.lock();
        shared.seizers.decrementAndGet();
        shared.nobodySeizes.signalAll();
        return held(id, shared, operation);
    }

    /**
     * For what somebody asks for.
     *
     * @param operation what it is, for whoever comes meanwhile; {@code conflict} names what is in the way when the time is over
     */
    Held hold(SandboxId id, String operation, Duration patience) {
        Shared shared = use(id);
        boolean isMine = false;
        try {
            isMine = take(shared, patience);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        } finally {
            if (!isMine) {
                letGo(id, shared);
            }
        }
        if (!isMine) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - shared.since);
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    operation + ": " + id + " is busy with " + shared.operation + " for " + seconds + " s.",
                    "Try again when that is done; `sandglass inspect` shows its state.");
        }
        return held(id, shared, operation);
    }

    private static boolean take(Shared shared, Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        if (!shared.lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        boolean isMine = false;
        try {
            boolean isBegun = shared.lock.getHoldCount() > 1;
            while (!isBegun && shared.seizers.get() > 0 && end - System.nanoTime() > 0) {
                shared.nobodySeizes.awaitNanos(end - System.nanoTime());
            }
            isMine = isBegun || shared.seizers.get() == 0;
        } finally {
            if (!isMine) {
                shared.lock.unlock();
            }
        }
        return isMine;
    }

    private Shared use(SandboxId id) {
        synchronized (locks) {
            Shared shared = locks.computeIfAbsent(id, _ -> new Shared());
            shared.users++;
            return shared;
        }
    }

    /** What is done within something else goes by its name. */
    private Held held(SandboxId id, Shared shared, String operation) {
        if (shared.lock.getHoldCount() == 1) {
            shared.operation = operation;
            shared.since = System.nanoTime();
        }
        return () -> {
            shared.lock.unlock();
            letGo(id, shared);
        };
    }

    private void letGo(SandboxId id, Shared shared) {
        synchronized (locks) {
            if (--shared.users == 0) {
                locks.remove(id);
            }
        }
    }
}
