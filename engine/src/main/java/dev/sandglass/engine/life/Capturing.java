package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.guest.HeldFile;
import dev.sandglass.engine.guest.Hold;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
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

    Capturing(Ledger ledger, Construction construction, Roster roster) {
        this.ledger = ledger;
        this.construction = construction;
        this.roster = roster;
    }

    SandboxRecord capture(SandboxRecord record, Sandboxes.Capture capture) throws InterruptedException {
        boolean runs = isRunning(record);
        Duration pause = construction.onTree(record, tree -> {
            Optional<Path> memory = capture.prepare(record, tree);
            Runnable disk = () -> capture.take(record, tree);
            if (!runs) {
                disk.run();
                return Duration.ZERO;
            }
            return memory.isPresent() ? withMemory(record, disk, memory.get()) : paused(record, disk);
        });
        SandboxRecord next = record.at(capture.done(pause));
        ledger.update(next);
        roster.note(next);
        return next;
    }

    private static boolean isRunning(SandboxRecord record) {
        return switch (record.state()) {
            case SandboxState.Running _ -> true;
            case SandboxState.Stopped _, SandboxState.Failed _ -> false;
            case SandboxState.Creating(), SandboxState.Starting(), SandboxState.Stopping(), SandboxState.Destroying(), SandboxState.Destroyed() ->
                throw new SandglassException(
                        ErrorCode.CONFLICT,
                        "The sandbox " + record.name() + " is " + record.state().text() + ", and no snapshot can be taken of it.",
                        "Try again when it runs or is stopped.");
        };
    }

    /** Disk and memory in one pause. Nothing is on its way to the agent meanwhile, so no copy of it waits for the rest of a message. */
    private Duration withMemory(SandboxRecord record, Runnable disk, Path image) {
        Runtime runtime = construction.runtime(record);
        GuestLink link = roster.linked(record.id());
        requireNothingHeld(link, record);
        Trace.step("reserve");
        runtime.reserve(record.id(), image);
        Trace.step("pause");
        try (Hold _ = link.hold()) {
            return paused(record, () -> {
                disk.run();
                runtime.checkpoint(record.id(), image);
            });
        }
    }

    private static void requireNothingHeld(GuestLink link, SandboxRecord record) {
        Trace.step("held files");
        List<HeldFile> held = List.of();
        try {
            for (int i = 0; i < TRIES; i++) {
                held = HeldFile.find(link);
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

    /** @return how long nothing of it ran */
    private Duration paused(SandboxRecord record, Runnable work) {
        Runtime runtime = construction.runtime(record);
        long begun = System.nanoTime();
        try {
            runtime.pause(record.id());
            Failpoint.SNAPSHOT_PAUSED.reach();
            work.run();
        } catch (RuntimeException problem) {
            resume(runtime, record.id(), problem);
            throw problem;
        }
        runtime.resume(record.id());
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private static void resume(Runtime runtime, SandboxId id, RuntimeException cause) {
        try {
            runtime.resume(id);
        } catch (RuntimeException problem) {
            LOG.error("Sandbox {} could not be resumed; it is tried again at the next start", id, problem);
            cause.addSuppressed(problem);
        }
    }
}
