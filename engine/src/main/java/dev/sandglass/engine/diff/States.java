package dev.sandglass.engine.diff;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.snapshot.HeldState;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ProcessList;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Optional;

/** Finds the states that somebody names. Thread-safe. */
record States(Ledger ledger, Snapshots snapshots) {
    /** A snapshot or a sandbox, by name, id or unique prefix of an id: the beginning of a name might be meant for either. */
    HeldState open(String ref) {
        if (SandboxId.isId(ref)) {
            return snapshots.freeze(ref);
        }
        Optional<SnapshotRecord> snapshot = snapshot(ref);
        boolean isSandbox = !SnapshotId.isId(ref) && isSandbox(ref);
        if (snapshot.isPresent() && isSandbox) {
            throw new SandglassException(
                    ErrorCode.AMBIGUOUS_PREFIX,
                    "There are a snapshot and a sandbox " + ref + ".",
                    "Name the one that is meant by its id: " + snapshot.get().id() + ", or the sandbox's.");
        }
        if (snapshot.isEmpty() && !isSandbox) {
            throw new SandglassException(
                    ErrorCode.SNAPSHOT_NOT_FOUND, "There is no snapshot or sandbox " + ref + ".", "`sandglass tree` shows those that there are.");
        }
        return snapshot.map(snapshots::hold).orElseGet(() -> snapshots.freeze(ref));
    }

    private Optional<SnapshotRecord> snapshot(String ref) {
        try {
            return Optional.of(ledger.snapshots().resolveWhole(ref));
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.SNAPSHOT_NOT_FOUND) {
                return Optional.empty();
            }
            throw problem;
        }
    }

    private boolean isSandbox(String ref) {
        try {
            return ledger.resolveWhole(ref) != null;
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.SANDBOX_NOT_FOUND) {
                return false;
            }
            throw problem;
        }
    }

    /** What a state grew from: the snapshot that it last was, or the image. */
    HeldState before(HeldState state) {
        Optional<SnapshotRecord> from = state.grownFrom().flatMap(ledger.snapshots()::find);
        return from.isPresent()
                ? snapshots.hold(from.get())
                : new HeldState(
                        "image", state.image(), Optional.empty(), state.image(), List.of(), Optional.empty(), Optional.of(ProcessList.NONE), () -> {});
    }
}
