package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets sandboxes stand still while they are captured. Thread-safe, but the caller holds the sandbox's lock. */
final class Capturing {
    private static final Logger LOG = LoggerFactory.getLogger(Capturing.class);

    private final Ledger ledger;
    private final Construction construction;
    private final Roster roster;

    Capturing(Ledger ledger, Construction construction, Roster roster) {
        this.ledger = ledger;
        this.construction = construction;
        this.roster = roster;
    }

    SandboxRecord capture(SandboxRecord record, Sandboxes.Capture capture) {
        boolean runs = isRunning(record);
        Duration pause = construction.onTree(record, tree -> {
            capture.prepare(record, tree);
            if (runs) {
                return paused(record, () -> capture.take(record, tree));
            }
            capture.take(record, tree);
            return Duration.ZERO;
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

    /** @return how long nothing of it ran */
    private Duration paused(SandboxRecord record, Runnable work) {
        Runtime runtime = construction.runtime(record);
        long begun = System.nanoTime();
        try {
            runtime.pause(record.id());
            Failpoint.SNAPSHOT_PAUSED.reach();
            work.run();
        } catch (RuntimeException problem) {
            resume(runtime, record, problem);
            throw problem;
        }
        runtime.resume(record.id());
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private static void resume(Runtime runtime, SandboxRecord record, RuntimeException cause) {
        try {
            runtime.resume(record.id());
        } catch (RuntimeException problem) {
            LOG.error("Sandbox {} could not be resumed; it is tried again at the next start", record.id(), problem);
            cause.addSuppressed(problem);
        }
    }
}
