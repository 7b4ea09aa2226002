package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Moment;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * When the next deadline of each sandbox is due. One thread waits for all of them, by a clock that nobody sets. Thread-safe;
 * what is due is done on threads of its own.
 */
final class Timetable implements AutoCloseable {
    private final HostClock clock;
    private final Function<SandboxRecord, Optional<Duration>> more;
    private final Consumer<SandboxId> due;
    private final Map<SandboxId, Future<?>> waiting = new ConcurrentHashMap<>();
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("deadlines").factory());

    /**
     * @param more how long it is until a sandbox is to be looked at for another reason than a deadline
     * @param due called with a sandbox that may have a deadline that is over: whoever looks decides
     */
    Timetable(HostClock clock, Function<SandboxRecord, Optional<Duration>> more, Consumer<SandboxId> due) {
        this.clock = clock;
        this.more = more;
        this.due = due;
        thread.setRemoveOnCancelPolicy(true);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Notes the next deadline of a sandbox as it is now, in the place of what was noted before. */
    void note(SandboxRecord record) {
        Moment now = clock.now();
        Stream.of(timeout(record, now), end(record, now), more.apply(record))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .ifPresentOrElse(left -> wake(record.id(), left), () -> forget(record.id()));
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

    /** Whether a sandbox must go, or its end has begun. */
    boolean isAtItsEnd(SandboxRecord record) {
        return end(record, clock.now()).filter(Duration::isZero).isPresent();
    }

    /** Whether a sandbox has run as long as it may. */
    boolean isTimedOut(SandboxRecord record) {
        return timeout(record, clock.now()).filter(Duration::isZero).isPresent();
    }

    private static Optional<Duration> timeout(SandboxRecord record, Moment now) {
        return record.state() instanceof SandboxState.Running
                ? record.deadlines().timeout().map(deadline -> deadline.remaining(now))
                : Optional.empty();
    }

    private static Optional<Duration> end(SandboxRecord record, Moment now) {
        return switch (record.state()) {
            case SandboxState.Destroying() -> Optional.of(Duration.ZERO);
            case SandboxState.Destroyed() -> Optional.empty();
            default -> record.deadlines().hardTtl().map(deadline -> deadline.remaining(now));
        };
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
