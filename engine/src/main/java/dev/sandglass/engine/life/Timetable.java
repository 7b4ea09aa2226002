package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Deadline;
import dev.sandglass.engine.sandbox.Moment;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * When the next deadline of each sandbox is due. One thread waits for all of them, by a clock that nobody sets. Thread-safe;
 * what is due is done on threads of its own.
 */
final class Timetable implements AutoCloseable {
    private final HostClock clock;
    private final Consumer<SandboxId> due;
    private final Map<SandboxId, Future<?>> waiting = new ConcurrentHashMap<>();
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("deadlines").factory());

    /** @param due called with a sandbox that may have a deadline that is over: whoever looks decides */
    Timetable(HostClock clock, Consumer<SandboxId> due) {
        this.clock = clock;
        this.due = due;
        thread.setRemoveOnCancelPolicy(true);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Notes the next deadline of a sandbox as it is now, in the place of what was noted before. */
    void note(SandboxRecord record) {
        next(record, clock.now()).ifPresentOrElse(left -> wake(record.id(), left), () -> forget(record.id()));
    }

    /** Looks at a sandbox again after a while. */
    void wake(SandboxId id, Duration later) {
        Future<?> mine = thread.schedule(
                () -> Thread.ofVirtual().name("deadline-" + id).start(() -> due.accept(id)), later.toMillis(), TimeUnit.MILLISECONDS);
        Future<?> before = waiting.put(id, mine);
        if (before != null) {
            before.cancel(false);
        }
    }

    void forget(SandboxId id) {
        Future<?> noted = waiting.remove(id);
        if (noted != null) {
            noted.cancel(false);
        }
    }

    /** Whether a sandbox has a deadline that is over, or its end has begun. */
    boolean isOver(SandboxRecord record) {
        return next(record, clock.now()).filter(Duration::isZero).isPresent();
    }

    /** How long it is to the first deadline that counts in the sandbox's state. */
    private static Optional<Duration> next(SandboxRecord record, Moment now) {
        if (record.state() instanceof SandboxState.Destroying) {
            return Optional.of(Duration.ZERO);
        }
        Optional<Deadline> timeout =
                record.state() instanceof SandboxState.Running ? record.deadlines().timeout() : Optional.empty();
        Optional<Deadline> hardTtl =
                record.state() instanceof SandboxState.Destroyed ? Optional.empty() : record.deadlines().hardTtl();
        Optional<Duration> soon = timeout.map(deadline -> deadline.remaining(now));
        Optional<Duration> late = hardTtl.map(deadline -> deadline.remaining(now));
        return soon.isPresent() && late.isPresent() ? Optional.of(min(soon.get(), late.get())) : soon.or(() -> late);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
