package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The snapshots that exist and what stands on which layer. A call that returns is durable. Thread-safe. */
public interface SnapshotLedger {
    /** Adds a snapshot; {@code name_taken} if another that is not deleted has its name. */
    void insert(SnapshotRecord snapshot);

    /** Replaces the record whose version is one less; anything else is {@code internal}. */
    void update(SnapshotRecord next);

    /** The same, and notes that the key has made it: both or none. {@code idempotency_key_reused} if it has made something for another request meanwhile. */
    void update(SnapshotRecord next, IdempotencyKey key);

    /** The snapshot that a key has made, also if it was deleted since; {@code idempotency_key_reused} if the key came with another request. */
    Optional<SnapshotRecord> madeBy(IdempotencyKey key);

    /**
     * Writes that a snapshot is deleted, unless a sandbox rests at it. Fine if it was deleted before, or is not known.
     *
     * @return the name of a sandbox that rests at it
     */
    Optional<String> delete(SnapshotId id);

    /** The same of one of which nobody was told: a key that has made it has made nothing. */
    void withdraw(SnapshotId id);

    Optional<SnapshotRecord> find(SnapshotId id);

    /** Whether a step of a build left it for later ones. */
    boolean isStep(SnapshotId id);

    /** By name, id or unique prefix of one, among those that are ready; {@code snapshot_not_found}, {@code ambiguous_prefix}. */
    SnapshotRecord resolve(String nameOrId);

    /**
     * As {@link #resolve}, but that a name must be whole: for what cannot be undone, as who asks for it twice must not hit a neighbour, and where the names of
     * other things count as well.
     */
    SnapshotRecord resolveWhole(String nameOrId);

    /**
     * Those that are not deleted, oldest first.
     *
     * @param after behind which they are, whether the snapshot there still is there or not; none for all from the beginning
     * @param all those too that were taken for a purpose
     * @param wanted others are left out
     */
    List<SnapshotRecord> list(Optional<SnapshotPosition> after, int limit, boolean all, Predicate<SnapshotRecord> wanted);

    /** The same whatever they are. */
    default List<SnapshotRecord> list(Optional<SnapshotPosition> after, int limit, boolean all) {
        return list(after, limit, all, _ -> true);
    }

    /** Those that were taken of a sandbox and are not deleted. */
    List<SnapshotRecord> of(SandboxId sandbox);

    /** What snapshots that are not deleted, and sandboxes that are not destroyed, stand on: layers, top first. */
    Set<List<String>> chains();

    /** The layers on which a snapshot that is not deleted, or a sandbox that is not destroyed, stands. */
    default Set<String> layersInUse() {
        return chains().stream().flatMap(List::stream).collect(Collectors.toSet());
    }

    /** Digests of the agents that are captured in snapshots which are not deleted. */
    Set<String> agentsInUse();

    /** The ids of the snapshots that are not deleted: what is kept for others belongs to nobody. */
    Set<SnapshotId> ids();

    /** The images on which a snapshot that is not deleted stands. */
    Set<String> imagesInUse();
}
