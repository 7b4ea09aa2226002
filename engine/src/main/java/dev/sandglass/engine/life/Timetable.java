package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Moment;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * When the next deadline of each sandbox is due. Thread-safe; what is due is done on threads of its own.
 */
final class Timetable implements AutoCloseable {
    private final HostClock clock;
    private final Function<SandboxRecord, Optional<Duration>> more;
    private final Alarms<SandboxId> alarms;

    /**
     * @param more how long it is until a sandbox is to be looked at for another reason than a deadline
     * @param due called with a sandbox that may have a deadline that is over: whoever looks decides
     */
    Timetable(HostClock clock, Function<SandboxRecord, Optional<Duration>> more, Consumer<SandboxId> due) {
        this.clock = clock;
        this.more = more;
        this.alarms = new Alarms<>("deadline", due);
    }

    /** Notes the next deadline of a sandbox as it is now, in the place of what was noted before. */
    void note(SandboxRecord record) {
        Moment now = clock.now();
        Stream.of(timeout(record, now), end(record, now), more.apply(record))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .ifPresentOrElse(left -> wake(record.id(), left), () -> forget(record.id()));
    }

    /** Looks at a sandbox again after a while, or at a deadline that is sooner; one that is over has been tried. */
    void retry(SandboxRecord record, Duration later) {
        Moment now = clock.now();
        Duration next = Stream.of(timeout(record, now), end(record, now))
                .flatMap(Optional::stream)
                .filter(Duration::isPositive)
                .filter(left -> left.compareTo(later) < 0)
                .min(Comparator.naturalOrder())
                .orElse(later);
        wake(record.id(), next);
    }

    /** Looks at a sandbox again after a while. */
    void wake(SandboxId id, Duration later) {
        alarms.set(id, later);
    }

    void forget(SandboxId id) {
        alarms.cancel(id);
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
            case SandboxState.Destroying _ -> Optional.of(Duration.ZERO);
            case SandboxState.Destroyed _ -> Optional.empty();
            default -> record.deadlines().hardTtl().map(deadline -> deadline.remaining(now));
        };
    }

    @Override
    public void close() {
        alarms.close();
    }
}
