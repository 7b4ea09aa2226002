package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.Lifecycle;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks after sandboxes when nobody else does: ends or pauses them in time, captures them now and then, brings them back. Thread-safe. */
final class Attendance implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Attendance.class);
    private static final Duration ANOTHER_TRY = Duration.ofSeconds(10);
    /** What ends sooner after a start ends again and again. */
    private static final Duration WORTH_ANOTHER_START = Duration.ofSeconds(10);

    private final Ledger ledger;
    private final Locks locks;
    private final Roster roster;
    private final Power power;
    private final Demolition demolition;
    private final Capturing capturing;
    private final Suspension suspension;
    private final Supplier<Foundation> foundation;
    private final Timetable timetable;
    /** When each was last captured, or first seen. By this clock nobody sets. */
    private final Map<SandboxId, Long> captured = new ConcurrentHashMap<>();

    Attendance(
            Ledger ledger,
            Locks locks,
            Roster roster,
            Power power,
            Demolition demolition,
            Capturing capturing,
            Suspension suspension,
            Supplier<Foundation> foundation,
            HostClock clock) {
        this.ledger = ledger;
        this.locks = locks;
        this.roster = roster;
        this.power = power;
        this.demolition = demolition;
        this.capturing = capturing;
        this.suspension = suspension;
        this.foundation = foundation;
        this.timetable = new Timetable(clock, this::untilItIsLookedAt, this::look);
    }

    /** Notes what is next for a sandbox as it is now. */
    void note(SandboxRecord record) {
        timetable.note(record);
    }

    /** A sandbox is gone. */
    void forget(SandboxId id) {
        timetable.forget(id);
        captured.remove(id);
    }

    /** Looks at a sandbox again soon, because something could not be done. */
    void again(SandboxId id) {
        timetable.wake(id, ANOTHER_TRY);
    }

    private Optional<Duration> untilItIsLookedAt(SandboxRecord record) {
        if (!(record.state() instanceof SandboxState.Running)) {
            return Optional.empty();
        }
        Optional<Duration> pause = record.deadlines().lifecycle().ttl().map(ttl -> ttl.minus(idle(record.id())));
        Optional<Duration> checkpoint = record.deadlines().lifecycle().checkpoints().map(checkpoints -> checkpoints.every().minus(sinceCapture(record.id())));
        Optional<Duration> soon = pause.isPresent() && checkpoint.isPresent()
                ? Optional.of(pause.get().compareTo(checkpoint.get()) < 0 ? pause.get() : checkpoint.get())
                : pause.or(() -> checkpoint);
        return soon.map(time -> time.isNegative() ? Duration.ZERO : time);
    }

    private Duration idle(SandboxId id) {
        return roster.find(id).map(sandbox -> sandbox.link().idle()).orElse(Duration.ZERO);
    }

    private long uses(SandboxId id) {
        return roster.find(id).map(LiveSandbox::uses).orElse(-1L);
    }

    private Duration sinceCapture(SandboxId id) {
        return Duration.ofNanos(System.nanoTime() - captured.computeIfAbsent(id, _ -> System.nanoTime()));
    }

    private void look(SandboxId id) {
        try {
            Optional<SandboxRecord> seen = ledger.find(id);
            if (seen.isPresent() && timetable.isAtItsEnd(seen.get())) {
                LOG.info("The time of {} ({}) is over", id, seen.get().name());
                power.hurry(id);
            }
            try (Locks.Held _ = locks.hold(id)) {
                Optional<SandboxRecord> now = ledger.find(id);
                if (now.isPresent()) {
                    act(now.get());
                }
            }
        } catch (RuntimeException problem) {
            LOG.error("Sandbox {} could not be looked after; it is tried again", id, problem);
            again(id);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void act(SandboxRecord record) throws InterruptedException {
        Lifecycle lifecycle = record.deadlines().lifecycle();
        boolean timedOut = timetable.isTimedOut(record);
        if (timetable.isAtItsEnd(record) || (timedOut && !lifecycle.pausesOnTimeout())) {
            demolition.demolish(record);
            forget(record.id());
            return;
        }
        SandboxRecord now = record;
        if (record.state() instanceof SandboxState.Running) {
            if (timedOut) {
                now = restWhateverItHolds(record);
            } else if (lifecycle.ttl().filter(ttl -> idle(record.id()).compareTo(ttl) >= 0).isPresent()) {
                now = restIfUnused(record);
            } else if (lifecycle.checkpoints().filter(checkpoints -> sinceCapture(record.id()).compareTo(checkpoints.every()) >= 0).isPresent()) {
                now = checkpoint(record, lifecycle.checkpoints().get());
            }
        }
        timetable.note(now);
    }

    /** What cannot be captured must not outlast its time. */
    private SandboxRecord restWhateverItHolds(SandboxRecord record) throws InterruptedException {
        try {
            return suspension.rest(record, () -> true);
        } catch (SandglassException refusal) {
            LOG.warn("The processes of {} ({}) cannot be kept, so they end: {}", record.id(), record.name(), refusal.what());
            return suspension.pause(ledger.resolve(record.id().text()), true);
        }
    }

    /** Whoever comes while it goes to rest keeps it awake. */
    private SandboxRecord restIfUnused(SandboxRecord record) throws InterruptedException {
        long before = uses(record.id());
        try {
            return suspension.rest(record, () -> uses(record.id()) == before);
        } catch (SandglassException refusal) {
            if (refusal.code() != ErrorCode.CONFLICT) {
                throw refusal;
            }
            LOG.info("Sandbox {} ({}) is used again and stays", record.id(), record.name());
            return record;
        }
    }

    /** One that nobody has used since the last one would be the same. */
    private SandboxRecord checkpoint(SandboxRecord record, Lifecycle.Checkpoints checkpoints) {
        Duration since = sinceCapture(record.id());
        captured.put(record.id(), System.nanoTime());
        List<SnapshotRecord> before = checkpoints(record.id());
        if (!before.isEmpty() && idle(record.id()).compareTo(since) >= 0) {
            return record;
        }
        Capture capture = foundation.get().capture(SnapshotPurpose.CHECKPOINT, false);
        SandboxRecord next = capturing.keep(record, capture);
        captured.put(record.id(), System.nanoTime()); // what it took was no use of it
        int tooMany = Math.max(0, before.size() + 1 - checkpoints.keep());
        before.stream().limit(tooMany).forEach(old -> foundation.get().release(old.id()));
        return next;
    }

    /** Oldest first. */
    private List<SnapshotRecord> checkpoints(SandboxId id) {
        return ledger.snapshots().of(id).stream()
                .filter(snapshot -> snapshot.purpose() == SnapshotPurpose.CHECKPOINT && snapshot.state() == SnapshotState.READY)
                .toList();
    }

    /** A sandbox has ended by itself; the caller holds its lock. One that ended just after a start stays as it is. */
    void bringBack(SandboxRecord failed) {
        boolean wanted = failed.deadlines().lifecycle().restarts()
                && failed.startedAt().filter(start -> start.plus(WORTH_ANOTHER_START).isBefore(Instant.now())).isPresent();
        List<SnapshotRecord> from = wanted ? checkpoints(failed.id()) : List.of();
        if (from.isEmpty()) {
            timetable.note(failed);
            return;
        }
        SnapshotId last = from.getLast().id();
        try {
            LOG.info("Sandbox {} ({}) goes on from its checkpoint {}", failed.id(), failed.name(), last);
            timetable.note(suspension.goOnFrom(failed, last));
        } catch (RuntimeException problem) {
            LOG.error("Sandbox {} could not be brought back from {}", failed.id(), last, problem);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        timetable.close();
    }
}
