package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.Lifecycle;
import dev.sandglass.engine.sandbox.Moment;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.engine.trace.Stopwatch;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks after sandboxes when nobody else does: ends or pauses them in time, captures them now and then, brings them back. Thread-safe. */
final class Attendance implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Attendance.class);
    private static final Duration ANOTHER_TRY = Duration.ofSeconds(10);
    /** Each try may let the sandbox stand still. */
    private static final Duration RARELY = Duration.ofMinutes(5);

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
    private final HostClock clock;
    private final Timetable timetable;
    private final Patience<SandboxId> patience = new Patience<>(ANOTHER_TRY, RARELY);
    private final Stopwatch stopwatch;
    /**
     * When a checkpoint of each was last tried, or would have been like the one before; or when one was first seen of which the ledger does not say when it
     * was started. It is in no ledger: a later daemon finds the same again.
     */
    private final Map<SandboxId, Moment> tried = new ConcurrentHashMap<>();
    /** What is to go and could not be taken away yet, whatever is written of it. */
    private final Set<SandboxId> unwanted = ConcurrentHashMap.newKeySet();

    Attendance(
            Ledger ledger,
            Locks locks,
            Roster roster,
            Power power,
            Demolition demolition,
            Capturing capturing,
            Suspension suspension,
            Supplier<Foundation> foundation,
            HostClock clock,
            Stopwatch stopwatch) {
        this.ledger = ledger;
        this.locks = locks;
        this.roster = roster;
        this.power = power;
        this.demolition = demolition;
        this.capturing = capturing;
        this.suspension = suspension;
        this.foundation = foundation;
        this.clock = clock;
        this.stopwatch = stopwatch;
        this.timetable = new Timetable(clock, this::untilItIsLookedAt, this::look);
    }

    /** Notes what is next for a sandbox as it is now. */
    void note(SandboxRecord record) {
        timetable.note(record);
        if (unwanted.contains(record.id())) { // asked afterwards, so that it stays due whoever comes first
            timetable.wake(record.id(), ANOTHER_TRY);
        }
    }

    /** A sandbox is gone. */
    void forget(SandboxId id) {
        timetable.forget(id);
        tried.remove(id);
        unwanted.remove(id);
        patience.forget(id);
    }

    /** A sandbox is to go and could not be taken away: it is tried until it is gone. */
    void discard(SandboxId id) {
        unwanted.add(id);
        again(id);
    }

    /** Looks at a sandbox again, because something could not be done: soon at first, then less and less often, but at its next deadline. */
    private void again(SandboxId id) {
        Duration wait = patience.failed(id);
        ledger.find(id).ifPresentOrElse(record -> timetable.retry(record, wait), () -> timetable.wake(id, wait));
    }

    private Optional<Duration> untilItIsLookedAt(SandboxRecord record) {
        if (!(record.state() instanceof SandboxState.Running)) {
            return Optional.empty();
        }
        if (record.deadlines().checkpointFrom().isEmpty()) { // an earlier version did not write it
            tried.putIfAbsent(record.id(), clock.now());
        }
        return Stream.of(untilItRests(record), untilItIsCaptured(record)).flatMap(Optional::stream).min(Comparator.naturalOrder());
    }

    /** How long it is until a sandbox that runs is paused, if nobody uses it. */
    private Optional<Duration> untilItRests(SandboxRecord record) {
        return record.deadlines().lifecycle().ttl().map(ttl -> left(ttl, idle(record)));
    }

    private Optional<Duration> untilItIsCaptured(SandboxRecord record) {
        return record.deadlines().lifecycle().checkpoints().map(checkpoints -> left(checkpoints.every(), sinceCapture(record)));
    }

    private static Duration left(Duration length, Duration passed) {
        return passed.compareTo(length) >= 0 ? Duration.ZERO : length.minus(passed);
    }

    /** The times of a sandbox that follow from what is done in it. */
    Outlook outlook(SandboxRecord record) {
        if (!(record.state() instanceof SandboxState.Running)) {
            return Outlook.NONE;
        }
        boolean unused = roster.find(record.id()).filter(sandbox -> !sandbox.link().isBusy()).isPresent();
        Instant now = clock.instant();
        return new Outlook(untilItRests(record).filter(_ -> unused).map(now::plus), untilItIsCaptured(record).map(now::plus));
    }

    /**
     * The agent knows when it was last used, whichever daemon it was that did; of one that was copied or stood still, that may be long ago. Where an earlier
     * version did not write when that was, the agent alone is asked.
     */
    private Duration idle(SandboxRecord record) {
        Duration unused = roster.find(record.id()).map(sandbox -> sandbox.link().idle()).orElse(Duration.ZERO);
        Duration most = record.deadlines().idleFrom().map(clock.now()::since).orElse(unused);
        return unused.compareTo(most) < 0 ? unused : most;
    }

    private long uses(SandboxId id) {
        return roster.find(id).map(LiveSandbox::uses).orElse(-1L);
    }

    private Duration sinceCapture(SandboxRecord record) {
        Moment now = clock.now();
        return Stream.of(record.deadlines().checkpointFrom(), Optional.ofNullable(tried.get(record.id())))
                .flatMap(Optional::stream)
                .map(now::since)
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    private void look(SandboxId id) {
        try {
            Optional<SandboxRecord> seen = ledger.find(id);
            if (seen.isPresent() && mustGo(seen.get())) {
                LOG.info("The time of {} ({}) is over", id, seen.get().name());
                power.hurry(id);
                capturing.giveUp(id);
            }
            try (Locks.Held _ = locks.hold(id, "a look after it")) {
                Optional<SandboxRecord> now = ledger.find(id).filter(record -> !(record.state() instanceof SandboxState.Destroyed));
                if (now.isPresent()) {
                    act(now.get());
                } else {
                    forget(id);
                }
            }
            patience.forget(id);
        } catch (RuntimeException problem) {
            if (problem instanceof SandglassException refusal && refusal.code() == ErrorCode.CONFLICT) {
                LOG.info("Sandbox {} is looked after later: {}", id, refusal.what());
            } else {
                LOG.error("Sandbox {} could not be looked after; it is tried again", id, problem);
            }
            again(id);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean mustGo(SandboxRecord record) {
        return timetable.isAtItsEnd(record) || unwanted.contains(record.id());
    }

    private void act(SandboxRecord record) throws InterruptedException {
        Lifecycle lifecycle = record.deadlines().lifecycle();
        boolean timedOut = timetable.isTimedOut(record);
        if (mustGo(record) || (timedOut && !lifecycle.pausesOnTimeout())) {
            stopwatch.time("destroy", () -> {
                demolition.demolish(record);
                return record;
            });
            forget(record.id());
            return;
        }
        SandboxRecord now = record;
        if (record.state() instanceof SandboxState.Running) {
            if (timedOut) {
                now = stopwatch.time("pause", () -> restWhateverItHolds(record));
            } else if (untilItRests(record).filter(Duration::isZero).isPresent()) {
                now = stopwatch.time("pause", () -> restIfUnused(record));
            } else if (untilItIsCaptured(record).filter(Duration::isZero).isPresent()) {
                now = stopwatch.time("checkpoint", () -> checkpoint(record));
            }
        }
        note(now);
    }

    /** What cannot be captured must not outlast its time. That the host's disk is full is no fault of the sandbox: it is tried again. */
    private SandboxRecord restWhateverItHolds(SandboxRecord record) throws InterruptedException {
        try {
            return suspension.rest(record, () -> true);
        } catch (SandglassException refusal) {
            if (refusal.code() == ErrorCode.DISK_FULL) {
                throw refusal;
            }
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

    /** One that nobody has used since the last one would be the same; when that was must be known. */
    private SandboxRecord checkpoint(SandboxRecord record) {
        Duration since = sinceCapture(record);
        tried.put(record.id(), clock.now());
        List<SnapshotRecord> before = checkpoints(record.id());
        if (!before.isEmpty() && record.deadlines().checkpointFrom().isPresent() && idle(record).compareTo(since) >= 0) {
            return record;
        }
        Capture capture = foundation.get().capture(SnapshotPurpose.CHECKPOINT, false);
        SandboxRecord next = capturing.checkpoint(record, capture, clock);
        tried.put(record.id(), clock.now()); // what it took was no use of it
        discardCheckpoints(next);
        return next;
    }

    /** Lets those go that are more than the sandbox is to have; the caller holds its lock. */
    void discardCheckpoints(SandboxRecord record) {
        int keep = record.deadlines().lifecycle().checkpoints().map(Lifecycle.Checkpoints::keep).orElse(0);
        List<SnapshotRecord> there = checkpoints(record.id());
        there.stream().limit(Math.max(0, there.size() - keep)).forEach(old -> foundation.get().release(old.id()));
    }

    /** Oldest first. */
    private List<SnapshotRecord> checkpoints(SandboxId id) {
        return ledger.snapshots().of(id).stream()
                .filter(snapshot -> snapshot.purpose() == SnapshotPurpose.CHECKPOINT && snapshot.state() == SnapshotState.READY)
                .toList();
    }

    /** Whether a sandbox that has ended is to go on from a checkpoint, or was about to when a daemon died. */
    boolean isToComeBack(SandboxRecord record) {
        boolean ended = switch (record.state()) {
            case SandboxState.Failed _ -> true;
            case SandboxState.Paused(Optional<SnapshotId> at, boolean rebuild) ->
                rebuild && at.flatMap(ledger.snapshots()::find).filter(snapshot -> snapshot.purpose() == SnapshotPurpose.CHECKPOINT).isPresent();
            case SandboxState.Running _,
                    SandboxState.Stopped _,
                    SandboxState.Creating(),
                    SandboxState.Starting(),
                    SandboxState.Stopping(),
                    SandboxState.Resuming _,
                    SandboxState.Destroying(),
                    SandboxState.Destroyed() ->
                false;
        };
        return ended && record.deadlines().lifecycle().restarts();
    }

    /** A sandbox has ended by itself; the caller holds its lock. One that ended just after a start stays as it is. */
    void bringBack(SandboxRecord failed) {
        boolean wanted = !unwanted.contains(failed.id())
                && failed.deadlines().lifecycle().restarts()
                && failed.startedAt().filter(start -> start.plus(WORTH_ANOTHER_START).isBefore(Instant.now())).isPresent();
        List<SnapshotRecord> from = wanted ? checkpoints(failed.id()) : List.of();
        if (from.isEmpty()) {
            note(failed);
            return;
        }
        SnapshotId last = from.getLast().id();
        try {
            LOG.info("Sandbox {} ({}) goes on from its checkpoint {}", failed.id(), failed.name(), last);
            note(stopwatch.time("restart", () -> suspension.goOnFrom(failed, last)));
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
