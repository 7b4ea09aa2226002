package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The snapshots that exist and what stands on which layer. A call that returns is durable. Thread-safe. */
public interface SnapshotLedger {
    /** Adds a snapshot; {@code name_taken} if another that is not deleted has its name. */
    void insert(SnapshotRecord snapshot);

    /** Replaces the record whose version is one less; anything else is {@code internal}. */
    void update(SnapshotRecord next);

    Optional<SnapshotRecord> find(SnapshotId id);

    /** By name, id or unique prefix of an id, among those that are ready; {@code snapshot_not_found}, {@code ambiguous_prefix}. */
    SnapshotRecord resolve(String nameOrId);

    /** Those that are not deleted, oldest first, behind the one with that id; all from the beginning if it is not known. */
    List<SnapshotRecord> list(Optional<SnapshotId> after, int limit, boolean all);

    /** Those that were taken of a sandbox and are not deleted. */
    List<SnapshotRecord> of(SandboxId sandbox);

    /** The layers on which a snapshot that is not deleted, or a sandbox that is not destroyed, stands. */
    Set<String> layersInUse();

    /** Digests of the agents that are captured in snapshots which are not deleted. */
    Set<String> agentsInUse();

    /** The ids of the snapshots that are not deleted: what is kept for others belongs to nobody. */
    Set<SnapshotId> ids();

    /** The images on which a snapshot that is not deleted stands. */
    Set<String> imagesInUse();
}
