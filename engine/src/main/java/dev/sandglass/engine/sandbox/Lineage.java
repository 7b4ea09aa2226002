package dev.sandglass.engine.sandbox;

import java.util.List;
import java.util.Optional;

/**
 * Where a sandbox comes from.
 *
 * @param at the snapshot whose state it last had: that from which it was made, or the last one that was taken of it
 * @param layers of the pool, top first, that lie between its own tree and the image
 * @param generation how many copies lie between it and the first of its line, itself included
 */
public record Lineage(Optional<SnapshotId> at, List<String> layers, long generation) {
    /** Of a sandbox that was made from an image alone. */
    public static final Lineage OF_AN_IMAGE = new Lineage(Optional.empty(), List.of(), 1);

    public Lineage {
        layers = List.copyOf(layers);
    }

    /** The same after a snapshot was taken: its own tree goes on, on the same layers. */
    public Lineage at(SnapshotId taken) {
        return new Lineage(Optional.of(taken), layers, generation);
    }
}
