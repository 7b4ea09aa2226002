package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.AtTimeout;
import dev.sandglass.engine.sandbox.Cause;
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

    /** An agent that is idle takes less of a processor; what works takes more. */
    private static final double IDLE_SHARE = 0.01;

    /** To go on after a pause takes that much. */
    private static final long IDLE_MICROS = 20_000;

    /** Processor time of a sandbox by a moment. */
    private record Work(long micros, Moment by) {
        boolean isMuchMoreThan(Work before) {
            long passed = by.since(before.by).toMillis() * 1000;
            return micros - before.micros > IDLE_MICROS + passed * IDLE_SHARE;
        }
    }

    /** A checkpoint that failed then is not tried again for so long. */
    private record Postponed(Moment at, Duration by) {}

    private final Ledger ledger;
    private final Construction construction;
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
    private final Patience<SandboxId> captures = new Patience<>(ANOTHER_TRY, RARELY);
    private final Stopwatch stopwatch;
    /**
     * When a checkpoint of each was last tried, or would have been like the one before; or when one was first seen of which the ledger does not say when it
     * was started. It is in no ledger: a later daemon finds the same again.
     */
    private final Map<SandboxId, Moment> tried = new ConcurrentHashMap<>();
    /** How much each had computed when it was last captured. It is in no ledger either. */
    private final Map<SandboxId, Work> busy = new ConcurrentHashMap<>();
    /** Those of which a checkpoint failed. */
    private final Map<SandboxId, Postponed> postponed = new ConcurrentHashMap<>();
    /** What has ended and could not be brought back yet. */
    private final Set<SandboxId> returning = ConcurrentHashMap.newKeySet();
    /** What is to go and could not be taken away yet, whatever is written of it. */
    private final Set<SandboxId> unwanted = ConcurrentHashMap.newKeySet();

    Attendance(
            Ledger ledger,
            Construction construction,
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
        this.construction = construction;
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

    /** What is due can be done from now on, and what ended while no daemon looked can come back: one after the other. */
    void begin() {
        List<SandboxRecord> there = ledger.sandboxes();
        there.forEach(this::note);
        List<SandboxId> ended = there.stream().filter(this::isToComeBack).map(SandboxRecord::id).toList();
        Thread.ofVirtual().name("bring-back").start(() -> ended.forEach(this::bringBack));
    }

    private void bringBack(SandboxId id) {
        try (Locks.Held _ = locks.hold(id, "its return")) {
            ledger.find(id).filter(this::isToComeBack).ifPresent(this::bringBack);
        } catch (RuntimeException problem) {
            LOG.error("Sandbox {} could not be brought back", id, problem);
        }
    }

    /** Notes what is next for a sandbox as it is now. */
    void note(SandboxRecord record) {
        timetable.note(record);
        if (unwanted.contains(record.id()) || returning.contains(record.id()) || capturing.isStuck(record.id())) { // asked afterwards, so that it stays due whoever comes first
            timetable.wake(record.id(), ANOTHER_TRY);
        }
    }

    /** A sandbox is gone. */
    void forget(SandboxId id) {
        timetable.forget(id);
        tried.remove(id);
        busy.remove(id);
        postponed.remove(id);
        captures.forget(id);
        returning.remove(id);
        unwanted.remove(id);
        capturing.forget(id);
        patience.forget(id);
    }

    /** A sandbox is to go and could not be taken away: it is tried until it is gone. */
    void discard(SandboxId id) {
        unwanted.add(id);
        again(id);
    }

    /** Looks at a sandbox again, because something could not be done: soon at first, then less and less often, but at its next deadline. */
    void again(SandboxId id) {
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
        return record.deadlines().lifecycle().checkpoints().map(checkpoints -> {
            Duration due = left(checkpoints.every(), sinceCapture(record));
            Postponed failed = postponed.get(record.id());
            if (failed == null) {
                return due;
            }
            Duration wait = failed.by().compareTo(checkpoints.every()) < 0 ? failed.by() : checkpoints.every();
            Duration again = left(wait, clock.now().since(failed.at()));
            return again.compareTo(due) > 0 ? again : due;
        });
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
            Optional<SandboxRecord> over = ledger.find(id).filter(this::mustGo);
            over.ifPresent(record -> LOG.info("The time of {} ({}) is over", id, record.name()));
            try (Locks.Held _ = over.isPresent() ? seize(id, "a look after it") : locks.hold(id, "a look after it")) {
                Optional<SandboxRecord> now = ledger.find(id).filter(record -> !(record.state() instanceof SandboxState.Destroyed));
                if (now.isPresent()) {
                    act(now.get());
                } else {
                    forget(id);
                }
            }
            if (!returning.contains(id)) {
                patience.forget(id);
            }
        } catch (RuntimeException problem) {
            tell(id, problem);
            again(id);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** The lock of a sandbox that is to go: who waits for something while he holds it gives that up. */
    Locks.Held seize(SandboxId id, String operation) {
        power.hurry(id);
        capturing.giveUp(id);
        try (Restores.Unwanted _ = construction.unwanted(id)) {
            return locks.seize(id, operation);
        }
    }

    private static void tell(SandboxId id, RuntimeException problem) {
        if (problem instanceof SandglassException refusal && refusal.code() == ErrorCode.CONFLICT) {
            LOG.info("Sandbox {} is looked after later: {}", id, refusal.what());
        } else {
            LOG.error("Sandbox {} could not be looked after; it is tried again", id, problem);
        }
    }

    private boolean mustGo(SandboxRecord record) {
        return timetable.isAtItsEnd(record) || unwanted.contains(record.id());
    }

    private void act(SandboxRecord record) throws InterruptedException {
        Lifecycle lifecycle = record.deadlines().lifecycle();
        boolean timedOut = timetable.isTimedOut(record);
        if (mustGo(record) || (timedOut && lifecycle.atTimeout() == AtTimeout.KILL)) {
            stopwatch.time("destroy", () -> {
                demolition.demolish(record, unwanted.contains(record.id()) ? Cause.DISCARDED : timetable.isAtItsEnd(record) ? Cause.HARD_TTL : Cause.TIMEOUT);
                return record;
            });
            forget(record.id());
            return;
        }
        if (returning.contains(record.id()) && isToComeBack(record)) {
            bringBack(record);
            return;
        }
        returning.remove(record.id());
        SandboxRecord now = record;
        if (record.state() instanceof SandboxState.Running) {
            capturing.free(record);
            long before = uses(record.id()); // before it is asked how long it was not used
            if (timedOut) {
                now = stopwatch.time("pause", () -> lifecycle.atTimeout() == AtTimeout.PAUSE_DISK ? suspension.pause(record, true, Cause.TIMEOUT) : restWhateverItHolds(record));
            } else if (untilItRests(record).filter(Duration::isZero).isPresent()) {
                now = stopwatch.time("pause", () -> restIfUnused(record, before));
            } else if (untilItIsCaptured(record).filter(Duration::isZero).isPresent()) {
                now = checkpointOrLater(record);
            }
        } else {
            capturing.forget(record.id());
        }
        note(now);
    }

    /** What cannot be captured must not outlast its time. That the host's disk is full is no fault of the sandbox: it is tried again. */
    private SandboxRecord restWhateverItHolds(SandboxRecord record) throws InterruptedException {
        try {
            return suspension.rest(record, Cause.TIMEOUT, () -> true);
        } catch (SandglassException refusal) {
            if (refusal.code() == ErrorCode.DISK_FULL) {
                throw refusal;
            }
            LOG.warn("The processes of {} ({}) cannot be kept, so they end: {}", record.id(), record.name(), refusal.what());
            return suspension.pause(ledger.resolve(record.id().text()), true, Cause.TIMEOUT);
        }
    }

    /** Whoever comes while it goes to rest keeps it awake. */
    private SandboxRecord restIfUnused(SandboxRecord record, long before) throws InterruptedException {
        try {
            return suspension.rest(record, Cause.TTL, () -> uses(record.id()) == before);
        } catch (SandglassException refusal) {
            if (refusal.code() != ErrorCode.CONFLICT) {
                throw refusal;
            }
            LOG.info("Sandbox {} ({}) is used again and stays", record.id(), record.name());
            return record;
        }
    }

    /** What cannot be captured may still go to rest, so only the next checkpoint waits. */
    private SandboxRecord checkpointOrLater(SandboxRecord record) {
        try {
            SandboxRecord next = stopwatch.time("checkpoint", () -> checkpoint(record));
            postponed.remove(record.id());
            captures.forget(record.id());
            return next;
        } catch (RuntimeException problem) {
            tell(record.id(), problem);
            postponed.put(record.id(), new Postponed(clock.now(), captures.failed(record.id())));
            return record;
        }
    }

    /** One of a sandbox that nobody has used and that has done nothing since the last one would be the same; when that was must be known. */
    private SandboxRecord checkpoint(SandboxRecord record) {
        List<SnapshotRecord> before = checkpoints(record.id());
        boolean unused = record.deadlines().checkpointFrom().isPresent() && idle(record).compareTo(sinceCapture(record)) >= 0;
        if (!before.isEmpty() && unused && !hasWorked(record)) {
            tried.put(record.id(), clock.now());
            return record;
        }
        Capture capture = foundation.get().capture(SnapshotPurpose.CHECKPOINT, false);
        SandboxRecord next = capturing.checkpoint(record, capture, clock); // if that fails it stays due
        tried.put(record.id(), clock.now()); // what it took was no use of it
        busy.put(record.id(), work(record));
        discardCheckpoints(next);
        return next;
    }

    /**
     * Whether something has run since the last checkpoint though nobody used the sandbox. Not known if another daemon took that, and where a kernel stands
     * between, which works even when nothing in it does.
     */
    private boolean hasWorked(SandboxRecord record) {
        if (!construction.runtime(record).seesProcesses()) {
            return false;
        }
        Work now = work(record);
        Work before = busy.putIfAbsent(record.id(), now);
        return before != null && now.isMuchMoreThan(before);
    }

    private Work work(SandboxRecord record) {
        return new Work(construction.runtime(record).usage(record.id()).cpuMicros(), clock.now());
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
            case SandboxState.Paused(Optional<SnapshotId> at, boolean rebuild, _) ->
                rebuild && at.flatMap(ledger.snapshots()::find).filter(snapshot -> snapshot.purpose() == SnapshotPurpose.CHECKPOINT).isPresent();
            case SandboxState.Running _,
                    SandboxState.Stopped _,
                    SandboxState.Creating(),
                    SandboxState.Starting(),
                    SandboxState.Stopping(),
                    SandboxState.Resuming _,
                    SandboxState.Destroying _,
                    SandboxState.Destroyed _ ->
                false;
        };
        return ended && record.deadlines().lifecycle().restarts();
    }

    /** A sandbox has ended by itself; the caller holds its lock. One that ended just after a start stays as it is. */
    void bringBack(SandboxRecord failed) {
        boolean wanted = !unwanted.contains(failed.id()) && failed.deadlines().lifecycle().restarts() && hasRunForAWhile(failed);
        List<SnapshotRecord> from = wanted ? checkpoints(failed.id()) : List.of();
        if (from.isEmpty()) {
            returning.remove(failed.id());
            note(failed);
            return;
        }
        try {
            SandboxRecord back = stopwatch.time("restart", () -> goOnFromTheLastOf(from, failed));
            returning.remove(failed.id());
            patience.forget(failed.id());
            note(back);
        } catch (RuntimeException problem) {
            LOG.error("Sandbox {} could not be brought back; it is tried again", failed.id(), problem);
            returning.add(failed.id());
            again(failed.id());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** By either clock: the wall clock may have been set back, and the other begins anew when a sandbox merely rested or was refreshed. */
    private boolean hasRunForAWhile(SandboxRecord failed) {
        return failed.startedAt().filter(start -> start.plus(WORTH_ANOTHER_START).isBefore(clock.instant())).isPresent()
                || failed.deadlines().idleFrom().filter(start -> clock.now().since(start).compareTo(WORTH_ANOTHER_START) > 0).isPresent();
    }

    /** An older checkpoint is better than none. */
    private SandboxRecord goOnFromTheLastOf(List<SnapshotRecord> checkpoints, SandboxRecord failed) throws InterruptedException {
        SnapshotId last = checkpoints.getLast().id();
        LOG.info("Sandbox {} ({}) goes on from its checkpoint {}", failed.id(), failed.name(), last);
        try {
            return suspension.goOnFrom(ledger.find(failed.id()).orElse(failed), last);
        } catch (SandglassException refusal) {
            if (refusal.code() != ErrorCode.SNAPSHOT_DAMAGED || checkpoints.size() == 1) {
                throw refusal;
            }
            LOG.warn("The checkpoint {} of {} is damaged, so the one before is taken: {}", last, failed.id(), refusal.what());
            return goOnFromTheLastOf(checkpoints.subList(0, checkpoints.size() - 1), failed);
        }
    }

    @Override
    public void close() {
        timetable.close();
    }
}
