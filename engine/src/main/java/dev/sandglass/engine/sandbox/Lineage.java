package dev.sandglass.engine.sandbox;

import java.util.List;
import java.util.Optional;

/**
 * Where a sandbox comes from.
 *
 * @param at the snapshot whose state it last had: that from which it was made, or the last one that was taken of it
 * @param layers of the pool, top first, that lie between its own tree and the image
 * @param undo the snapshot that has what it was before it was last turned back
 * @param before what it did before it was last turned back
 * @param generation a number that no other copy has, and that is another whenever its processes go on; 1 for one that is no copy
 * @param commands the highest number of a command that it had when it was last put to rest: none is given again to another one
 */
public record Lineage(Optional<SnapshotId> at, List<String> layers, long generation, Optional<SnapshotId> undo, Activity before, int commands) {
    /** Of a sandbox that was made from an image alone. */
    public static final Lineage OF_AN_IMAGE = copy(Optional.empty(), List.of(), 1);

    public Lineage {
        layers = List.copyOf(layers);
    }

    /** Of a new sandbox. */
    public static Lineage copy(Optional<SnapshotId> of, List<String> itsLayers, long generation) {
        return new Lineage(of, itsLayers, generation, Optional.empty(), Activity.RUNNING, 0);
    }

    /** The same after a snapshot was taken: its own tree goes on, on the same layers. */
    public Lineage at(SnapshotId taken) {
        return new Lineage(Optional.of(taken), layers, generation, undo, before, commands);
    }

    /** The same for processes that go on: they are told that time has passed. */
    public Lineage continued(long next) {
        return new Lineage(at, layers, next, undo, before, commands);
    }

    /** The same on the disk of a snapshot. */
    public Lineage on(SnapshotId snapshot, List<String> itsLayers, long next) {
        return new Lineage(Optional.of(snapshot), itsLayers, next, undo, before, commands);
    }

    /** The same after what it was has been kept in a snapshot. */
    public Lineage undoneBy(SnapshotId snapshot, Activity then) {
        return new Lineage(at, layers, generation, Optional.of(snapshot), then, commands);
    }

    /** The same when so many commands had a number. */
    public Lineage numberedTo(int highest) {
        return new Lineage(at, layers, generation, undo, before, Math.max(commands, highest));
    }
}
