package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.trace.Stopwatch;
import dev.sandglass.wire.SandglassException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has sandboxes demolished that nobody wants any more, whatever else is done to them; what cannot be taken away now is tried again. Thread-safe. */
final class Dismissal {
    private static final Logger LOG = LoggerFactory.getLogger(Dismissal.class);

    private final Ledger ledger;
    private final Demolition demolition;
    private final Attendance attendance;
    private final Stopwatch stopwatch;

    Dismissal(Ledger ledger, Demolition demolition, Attendance attendance, Stopwatch stopwatch) {
        this.ledger = ledger;
        this.demolition = demolition;
        this.attendance = attendance;
        this.stopwatch = stopwatch;
    }

    /** Fine if its id was destroyed before. */
    void destroy(String ref, Cause cause) {
        if (SandboxId.isId(ref) && wasDestroyed(new SandboxId(ref))) {
            return;
        }
        stopwatch.time("destroy", () -> end(ledger.resolveWhole(ref).id(), cause));
    }

    private SandboxId end(SandboxId id, Cause cause) {
        try (Locks.Held _ = attendance.seize(id, "destroy")) {
            if (!wasDestroyed(id)) {
                demolition.demolish(ledger.resolve(id.text()), cause);
            }
            attendance.forget(id);
        }
        return id;
    }

    private boolean wasDestroyed(SandboxId id) {
        Optional<SandboxRecord> record = ledger.find(id);
        return record.isPresent() && record.get().state() instanceof SandboxState.Destroyed;
    }

    /** One that was made tentatively and never confirmed. */
    void discard(String id) {
        try {
            destroy(id, Cause.DISCARDED);
        } catch (RuntimeException problem) {
            attendance.discard(new SandboxId(id));
            throw problem;
        }
    }

    /** What was made of one that could not be made whole; the caller holds its lock. */
    void undo(SandboxRecord record, SandglassException cause) {
        try {
            demolition.demolish(ledger.find(record.id()).orElseThrow(), Cause.DISCARDED);
        } catch (RuntimeException problem) {
            LOG.error("What was made of {} could not be taken away; it is tried again", record.id(), problem);
            cause.addSuppressed(problem);
            attendance.discard(record.id());
        }
    }
}
