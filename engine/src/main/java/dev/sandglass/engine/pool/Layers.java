package dev.sandglass.engine.pool;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Frozen copies of trees that are organised for an overlay: a layer's directory {@code upper} is the tree's, and a lower
 * directory for others. A layer is there whole or not at all, and never changes. Layers have names of their own, apart
 * from those of trees. Thread-safe; calls for one layer come one at a time.
 */
public interface Layers {
    /**
     * Writes out what was written to the tree and is still in memory, as long as it goes on running, so that a snapshot
     * right afterwards is quick. Bounded in time.
     *
     * @return how long the last round took: what a snapshot in a pause that begins now would take
     */
    Duration settle(String tree);

    /** Freezes the {@code upper} of a tree as a new layer, on disk when this returns. Does not change the tree. */
    Path snapshot(String tree, String layer);

    /**
     * Whether the tree surely has the content that it had when the layer was taken from it; false where that is not known.
     * What is written during the call may count or not.
     */
    boolean isUnchanged(String tree, String layer);

    /**
     * Merges layers, top first, into a new one that looks the same in an overlay, whatever lies above and below it. The
     * layers stay.
     */
    Path collapse(List<String> layers, String layer);

    /** Makes a layer of what is written into its directory, which is empty at first: {@code upper} must be there in the end. */
    Path make(String layer, Content content);

    /** Writes a layer. */
    interface Content {
        void write(Path layer) throws IOException;
    }

    /** Where a layer is, whether it exists or not. */
    Path path(String layer);

    /** The overlay's lower directory of a layer. */
    default Path lower(String layer) {
        return path(layer).resolve("upper");
    }

    /** The file data of a layer, and how much of it is not in an earlier layer of the same tree; all where that cannot be told. */
    LayerBytes bytes(String layer, Optional<String> earlier);

    /** The file data of a tree, as far as it is on the disk, that is not in a layer which was taken of it; all where that cannot be told. */
    long written(String tree, Optional<String> since);

    /**
     * What {@link #bytes} may say at most of a layer of a tree with that limit. Blocks that files share count for each of them, and a program in a
     * sandbox can share one block a million times: more than this is more than anybody means to read.
     */
    long mostBytes(long limit);

    /** Removes a layer with all in it, half-made or whole. Fine if it is not there; never crosses a mount or follows a link. */
    void remove(String layer);

    /** The layers that exist whole. */
    Set<String> names();

    /** Removes what a crash left half-made or half-removed. Only for the one daemon that uses the pool, when it starts. */
    void sweep();
}
