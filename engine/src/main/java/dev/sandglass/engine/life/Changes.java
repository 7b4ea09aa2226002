package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.SandboxId;

/** Changes of sandboxes, each made under the sandbox's lock, to the record as it is then; what follows in time is noted. Thread-safe. */
final class Changes {
    /** What is done to a sandbox; gives back what it is then. */
    interface Change {
        SandboxRecord apply(SandboxRecord record) throws InterruptedException;
    }

    private final Ledger ledger;
    private final Locks locks;
    private final Attendance attendance;

    Changes(Ledger ledger, Locks locks, Attendance attendance) {
        this.ledger = ledger;
        this.locks = locks;
        this.attendance = attendance;
    }

    SandboxRecord make(String ref, String operation, Change change) {
        SandboxId id = ledger.resolveWhole(ref).id(); // not by the beginning of a name: most changes cannot be undone
        try (Locks.Held _ = locks.hold(id, operation, Locks.PATIENCE)) {
            SandboxRecord record = ledger.resolve(id.text());
            try {
                SandboxRecord next = change.apply(record);
                attendance.note(next);
                return next;
            } catch (RuntimeException | InterruptedException problem) {
                throw Failure.of(record, problem);
            }
        }
    }
}
