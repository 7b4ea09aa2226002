package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.guest.HeldFile;
import dev.sandglass.engine.guest.Hold;
import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets sandboxes stand still while they are captured. Thread-safe, but the caller holds the sandbox's lock. */
final class Capturing {
    private static final Logger LOG = LoggerFactory.getLogger(Capturing.class);
    /** A file may be held for a moment only, as by a program that is being installed. */
    private static final int TRIES = 5;

    private static final Duration BETWEEN_TRIES = Duration.ofMillis(200);

    private final Ledger ledger;
    private final Construction construction;
    private final Roster roster;
    /** What is being captured for the sandboxes themselves. */
    private final Map<SandboxId, Capture> own = new ConcurrentHashMap<>();
    /** Those that stand still though they are to go on. */
    private final Set<SandboxId> stuck = ConcurrentHashMap.newKeySet();
    private volatile Consumer<SandboxId> standstills = _ -> {};

    Capturing(Ledger ledger, Construction construction, Roster roster) {
        this.ledger = ledger;
        this.construction = construction;
        this.roster = roster;
    }

    /** Captures a sandbox that goes on, whether that works or not. */
    SandboxRecord capture(SandboxRecord record, Capture capture) {
        return capture(record, capture, record::at);
    }

    private SandboxRecord capture(SandboxRecord record, Capture capture, Function<SnapshotId, SandboxRecord> captured) {
        requireState(record);
        Optional<SnapshotRecord> same = capture.same(record, Construction.tree(record.id()));
        if (same.isPresent()) {
            return keep(record, same.get(), capture.key(), captured);
        }
        Duration pause = construction.onTree(record, tree -> still(record, tree, capture, true, () -> {}));
        Optional<SnapshotId> at = capture.done(pause);
        if (at.isEmpty()) {
            return record;
        }
        SandboxRecord next = captured.apply(at.get());
        ledger.update(next);
        roster.note(next);
        return next;
    }

    /** Writes down a snapshot for which nothing had to be made. */
    private SandboxRecord keep(SandboxRecord record, SnapshotRecord same, Optional<IdempotencyKey> key, Function<SnapshotId, SandboxRecord> captured) {
        Trace.step("ledger");
        if (same.purpose() == SnapshotPurpose.FORK) {
            ledger.snapshots().insert(same);
            return record;
        }
        SandboxRecord next = captured.apply(same.id());
        ledger.insert(same, next, key);
        roster.note(next);
        return next;
    }

    /** Takes a checkpoint of a sandbox that goes on, and waits until the snapshot is whole. */
    SandboxRecord checkpoint(SandboxRecord record, Capture capture, HostClock clock) {
        own.put(record.id(), capture);
        try {
            SandboxRecord next = capture(record, capture, taken -> record.checkpointed(taken, clock.now()));
            capture.publish();
            return next;
        } catch (RuntimeException problem) {
            capture.undo(problem);
            throw problem;
        } finally {
            own.remove(record.id());
        }
    }

    /** A sandbox goes: what is being captured for it alone is not wanted any more. Needs no lock. */
    void giveUp(SandboxId id) {
        Capture unwanted = own.get(id);
        if (unwanted != null) {
            unwanted.giveUp();
        }
    }

    /**
     * Captures a sandbox that does not go on, so that nothing is done which the snapshot does not have; it does go on if that fails.
     *
     * @param next writes down what it is from now on, given the snapshot, which is whole
     */
    SandboxRecord halt(SandboxRecord record, Capture capture, Function<SnapshotRecord, SandboxRecord> next) {
        AtomicReference<@Nullable SandboxRecord> halted = new AtomicReference<>();
        own.put(record.id(), capture);
        try {
            construction.onTree(record, tree -> still(record, tree, capture, false, () -> {
                capture.done(Duration.ZERO);
                SnapshotRecord whole = capture.publish();
                Failpoint.PAUSE_CAPTURED.reach();
                halted.set(next.apply(whole));
            }));
        } catch (RuntimeException problem) {
            SandboxRecord written = halted.get();
            if (written == null) {
                capture.undo(problem);
                throw problem;
            }
            LOG.error("Sandbox {} has no limit of its disk until it goes on", record.id(), problem);
        } finally {
            own.remove(record.id());
        }
        return Objects.requireNonNull(halted.get());
    }

    /** Throws {@code conflict} unless a sandbox has a state of its own that can be captured. */
    private static void requireState(SandboxRecord record) {
        switch (record.state()) {
            case SandboxState.Running _, SandboxState.Stopped _, SandboxState.Failed _ -> {}
            case SandboxState.Paused(Optional<SnapshotId> at, boolean rebuild, _) -> {
                if (rebuild && at.isPresent()) {
                    throw new SandglassException(
                            ErrorCode.CONFLICT,
                            "The sandbox " + record.name() + " is to go on from " + at.get() + ", and has no state of its own.",
                            "Resume it first, or use that snapshot.");
                }
            }
            case SandboxState.Creating(),
                    SandboxState.Starting(),
                    SandboxState.Stopping(),
                    SandboxState.Resuming _,
                    SandboxState.Destroying _,
                    SandboxState.Destroyed _ ->
                throw new SandglassException(
                        ErrorCode.CONFLICT,
                        "The sandbox " + record.name() + " is " + record.state().text() + ", and no snapshot can be taken of it.",
                        "Try again when it runs or is stopped.");
        }
    }

    /**
     * Takes what a sandbox has in one pause, if it runs.
     *
     * @param last what is done before the pause is over
     * @return how long nothing of it ran
     */
    private Duration still(SandboxRecord record, String tree, Capture capture, boolean goesOn, Runnable last) {
        requireState(record);
        Optional<Path> memory = capture.prepare(record, tree);
        if (!(record.state() instanceof SandboxState.Running)) {
            capture.take(record, tree);
            last.run();
            return Duration.ZERO;
        }
        if (memory.isEmpty()) {
            return paused(record, goesOn, () -> {
                capture.take(record, tree);
                last.run();
            });
        }
        Runtime runtime = construction.runtime(record);
        GuestLink link = roster.linked(record.id());
        if (!runtime.capturesOnHost()) {
            requireNothingHeld(link, record);
        }
        Trace.step("reserve");
        Path image = runtime.reserve(record.id(), memory.get()) ? memory.get() : capture.spill();
        Trace.step("processes");
        capture.look(link);
        Runnable work = () -> {
            capture.take(record, tree);
            runtime.checkpoint(record.id(), capture.outgrown(runtime.usage(record.id()).memoryBytes()).orElse(image));
            last.run();
        };
        return runtime.capturesOnHost() ? opened(link, record, goesOn, work) : held(link, record, goesOn, work);
    }

    private Duration opened(GuestLink link, SandboxRecord record, boolean goesOn, Runnable work) {
        link.open();
        try {
            return held(link, record, goesOn, work);
        } finally {
            link.shut();
        }
    }

    /** Nothing is on its way to the agent, so no copy of it waits for the rest of a message. */
    private Duration held(GuestLink link, SandboxRecord record, boolean goesOn, Runnable work) {
        Trace.step("pause");
        try (Hold _ = link.hold()) {
            return paused(record, goesOn, work);
        }
    }

    private static void requireNothingHeld(GuestLink link, SandboxRecord record) {
        Trace.step("held files");
        List<HeldFile> held = List.of();
        try {
            for (int i = 0; i < TRIES; i++) {
                held = HeldFile.find(link, record.volumes().stream().map(VolumeUse::path).toList());
                if (held.isEmpty()) {
                    return;
                }
                Thread.sleep(BETWEEN_TRIES);
            }
        } catch (IOException problem) {
            throw new SandglassException(
                    ErrorCode.GUEST_PROTOCOL, "The agent of " + record.name() + " cannot tell what is in use: " + problem.getMessage(), "Try again.", problem);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
        throw new SandglassException(
                ErrorCode.SNAPSHOT_BLOCKED,
                "Memory cannot be captured while a deleted file is in use: " + held.stream().map(HeldFile::text).collect(Collectors.joining("; ")),
                "Let the process close it or end it, keep such files in /tmp, or capture the disk only (--disk-only).");
    }

    private Duration paused(SandboxRecord record, boolean goesOn, Runnable work) {
        Runtime runtime = construction.runtime(record);
        long begun = System.nanoTime();
        try {
            runtime.pause(record.id());
            Failpoint.SNAPSHOT_PAUSED.reach();
            work.run();
        } catch (RuntimeException | Error problem) { // also when memory runs out: nobody else would let it go on
            try {
                resume(runtime, record.id());
            } catch (RuntimeException another) {
                problem.addSuppressed(another);
            }
            throw problem;
        }
        if (goesOn) {
            resume(runtime, record.id());
        }
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private void resume(Runtime runtime, SandboxId id) {
        try {
            runtime.resume(id);
            stuck.remove(id);
        } catch (RuntimeException problem) {
            LOG.error("Sandbox {} could not be resumed; it is tried again", id, problem);
            stuck.add(id);
            standstills.accept(id);
            throw problem;
        }
    }

    /** Who is told of a sandbox that could not go on after it was captured, and sees to it that it does. */
    void watchStandstills(Consumer<SandboxId> watcher) {
        standstills = watcher;
    }

    /** Whether a sandbox stands still though it is to go on. Needs no lock. */
    boolean isStuck(SandboxId id) {
        return stuck.contains(id);
    }

    /** Lets a sandbox go on that could not before. */
    void free(SandboxRecord record) {
        if (isStuck(record.id())) {
            resume(construction.runtime(record), record.id());
        }
    }

    /** A sandbox is gone. */
    void forget(SandboxId id) {
        stuck.remove(id);
    }
}
