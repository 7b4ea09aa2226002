package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** The sandboxes of which snapshots are taken, and which go on from them: what whoever keeps snapshots wants of them. Thread-safe. */
public final class Originals {
    private final Ledger ledger;
    private final Construction construction;
    private final Locks locks;
    private final Changes changes;
    private final Capturing capturing;

    Originals(Ledger ledger, Construction construction, Locks locks, Changes changes, Capturing capturing) {
        this.ledger = ledger;
        this.construction = construction;
        this.locks = locks;
        this.changes = changes;
        this.capturing = capturing;
    }

    /** Lets a running sandbox stand still, or takes one that is stopped, and captures its tree; it goes on whether that works or not. */
    public void capture(String ref, Capture capture) {
        changes.make(ref, "snapshot", record -> capturing.capture(record, capture));
    }

    /**
     * The same, unless the sandbox rests at a snapshot that has all with which it will go on.
     *
     * @param rest is given that snapshot then, while nothing else is done to the sandbox
     */
    public void captureUnlessAtRest(String ref, Capture capture, Consumer<SnapshotId> rest) {
        changes.make(ref, "fork", record -> {
            Optional<SnapshotId> at = restOf(record);
            at.ifPresent(rest);
            return at.isPresent() ? record : capturing.capture(record, capture);
        });
    }

    /** The snapshot at which a sandbox rests now, with all with which it will go on. */
    public Optional<SnapshotId> restOf(String ref) {
        return restOf(ledger.resolve(ref));
    }

    private static Optional<SnapshotId> restOf(SandboxRecord record) {
        return record.state() instanceof SandboxState.Paused(Optional<SnapshotId> at, boolean rebuild, _) && !rebuild ? at : Optional.empty();
    }

    /** Why the processes of a sandbox cannot be captured; empty if they can. */
    public Optional<String> obstacleToMemory(SandboxRecord sandbox) {
        return construction.obstacleToMemory(sandbox);
    }

    /** Whether processes that were captured on a runtime elsewhere may go on here; those of an unknown one never do. */
    public boolean trustsProcesses(String runtime) {
        return !construction.capturesOnHost(runtime);
    }

    /** What must be the same where captured processes go on. */
    public Map<String, String> traits(SandboxRecord sandbox) {
        return construction.runtime(sandbox).traits(sandbox.network().isPresent());
    }

    /** Bytes of memory that a sandbox has now. */
    public long memoryInUse(SandboxRecord sandbox) {
        return construction.consumption(sandbox.id(), construction.runtime(sandbox)).usage().memoryBytes();
    }

    /** Whether a sandbox goes on from a snapshot, or may be turned back to it by an undo. */
    public boolean goOnFrom(SnapshotId snapshot) {
        Optional<SnapshotId> it = Optional.of(snapshot);
        return ledger.sandboxes().stream().anyMatch(record -> record.state().restsAt().equals(it) || record.lineage().undo().equals(it));
    }

    /** Whether a sandbox is there that is captured now and then. */
    public boolean keepsCheckpoints(SandboxId sandbox) {
        return ledger.find(sandbox)
                .filter(record -> !(record.state() instanceof SandboxState.Destroyed))
                .filter(record -> record.deadlines().lifecycle().checkpoints().isPresent())
                .isPresent();
    }

    /** Does something with the tree of a sandbox, which goes on meanwhile; nothing else is done to it until then. */
    public <T> T onTree(String ref, BiFunction<SandboxRecord, String, T> work) {
        SandboxId id = ledger.resolve(ref).id();
        try (Locks.Held _ = locks.hold(id, "diff", Locks.PATIENCE)) {
            SandboxRecord record = ledger.resolve(id.text());
            return construction.onTree(record, tree -> work.apply(record, tree));
        }
    }
}
