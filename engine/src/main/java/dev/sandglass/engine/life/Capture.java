package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SnapshotId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** What is done to a sandbox that stands still, by somebody who keeps what it was then. For one snapshot; the calls come in this order. */
public interface Capture {
    /** By what its client calls the request, if it does: to be written to the ledger with the word that the snapshot is whole. */
    Optional<IdempotencyKey> key();

    /**
     * What it is, if that is known without letting it stand still: nothing was written since its last snapshot, and no processes are to be
     * captured. Whole, and still to be written to the ledger; then only {@link #publish} follows.
     */
    Optional<SnapshotRecord> same(SandboxRecord sandbox, String tree);

    /**
     * It still runs; what takes long is done now, so that the pause is short.
     *
     * @return an empty directory for its processes, if they are to be captured too; only where it runs on a runtime that can
     */
    Optional<Path> prepare(SandboxRecord sandbox, String tree);

    /** There is no room for its processes in the directory that was given for them: another empty one. */
    Path spill();

    /** It runs for a moment still, and its processes are captured then: who wants to know which asks now, because in the image nobody can look. */
    void look(GuestLink link);

    /** Nothing of it runs. */
    void take(SandboxRecord sandbox, String tree);

    /**
     * Nothing of it runs, so it comes to use no more memory than now: it may have come to since a directory was given for its processes.
     *
     * @return another empty directory, if so much has no room in that one
     */
    Optional<Path> outgrown(long memoryBytes);

    /**
     * All is there that is needed.
     *
     * @param pause for how long it stood still
     * @return the snapshot, if it is to be the one at which the sandbox is from now on
     */
    Optional<SnapshotId> done(Duration pause);

    /** Writes that it is whole; the sandbox may run meanwhile. */
    SnapshotRecord publish();

    /** Nobody wants it any more: what takes long in the other calls ends soon, with {@code conflict}. Comes from another thread, at any time. */
    void giveUp();

    /** Takes away what there is of it, instead of any of the other calls. */
    void undo(RuntimeException cause);
}
