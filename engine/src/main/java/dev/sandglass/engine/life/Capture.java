package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SnapshotId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** What is done to a sandbox that stands still, by somebody who keeps what it was then. For one snapshot; the calls come in this order. */
public interface Capture {
    /**
     * It still runs; what takes long is done now, so that the pause is short.
     *
     * @return an empty directory for its processes, if they are to be captured too; only where it runs on a runtime that can
     */
    Optional<Path> prepare(SandboxRecord sandbox, String tree);

    /** Nothing of it runs. */
    void take(SandboxRecord sandbox, String tree);

    /**
     * All is there that is needed.
     *
     * @param pause for how long it stood still
     * @return the snapshot, if it is to be the one at which the sandbox is from now on
     */
    Optional<SnapshotId> done(Duration pause);

    /** Writes that it is whole; the sandbox may run meanwhile. */
    SnapshotRecord publish();

    /** Takes away what there is of it, instead of any of the other calls. */
    void undo(RuntimeException cause);
}
