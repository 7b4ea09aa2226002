package dev.sandglass.engine.template;

import dev.sandglass.engine.build.RunningBuild;
import dev.sandglass.engine.ledger.BuildLedger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The disks that steps left, by the hash of everything before: a bounded number, of which the least used go. Thread-safe. */
final class StepCache {
    private static final int MOST = 64;
    private static final Set<ErrorCode> NO_ROOM = Set.of(ErrorCode.DISK_FULL, ErrorCode.SNAPSHOT_QUOTA_REACHED);

    /**
     * Where a build begins.
     *
     * @param done how many steps are behind it
     */
    record Start(int done, Optional<SnapshotId> snapshot) {}

    private final BuildLedger ledger;
    private final Snapshots snapshots;

    StepCache(BuildLedger ledger, Snapshots snapshots) {
        this.ledger = ledger;
        this.snapshots = snapshots;
    }

    /** The last of these keys that is known. */
    Start start(List<String> keys) {
        for (int done = keys.size(); done > 0; done--) {
            Optional<SnapshotId> found = ledger.step(keys.get(done - 1));
            if (found.isPresent()) {
                return new Start(done, found);
            }
        }
        return new Start(0, Optional.empty());
    }

    /** Keeps what a step left. Without room it is not kept, and the build goes on. */
    void keep(String key, String sandbox, String step, RunningBuild build) {
        try {
            SnapshotRecord taken = snapshots.captureForBuild(sandbox, "after " + step, Map.of("sandglass.build", build.id()), true);
            snapshots.discard(ledger.keepStep(key, taken.id(), MOST));
        } catch (SandglassException problem) {
            if (!NO_ROOM.contains(problem.code())) {
                throw problem;
            }
            build.warn("the step " + step + " is not kept for later builds: " + problem.what());
        }
    }

    /** Makes room. */
    void clear() {
        snapshots.discard(ledger.forgetSteps());
    }
}
