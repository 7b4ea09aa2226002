package dev.sandglass.engine.pool;

import dev.sandglass.wire.PoolStatus;
import java.nio.file.Path;
import java.util.Set;

/** Named directory trees on one filesystem. Thread-safe; calls for one tree come one at a time. */
public interface Pool {
    /** The lowest number of files in trees below others. */
    long NUMBERS_BELOW = 1 << 18;

    /** The kind, the room left, and what this kind cannot do. */
    PoolStatus status();

    /** Refuses with {@code disk_full} while the disk has so little room that what is in the pool already needs it. Costs microseconds. */
    void requireRoom();

    /** Makes an empty tree, owned by root, mode 0755. It is there whole or not at all. */
    Path create(String tree);

    /**
     * The same for a tree that others are mounted above, which takes some seconds. The kernel tells files of trees that are mounted above each other apart by their numbers alone, and
     * takes two with the same number for one file; those of this tree have numbers that others come to after {@link #NUMBERS_BELOW} files only.
     */
    Path createBelowOthers(String tree);

    /** Where a tree is, whether it exists or not. */
    Path path(String tree);

    /** Makes {@code target} with the content of {@code source}, sharing the data where the filesystem can. */
    Path copy(String source, String target);

    /** Makes a tree unchangeable where the filesystem can. */
    void seal(String tree);

    /**
     * Sets how many bytes may be written to the tree; what goes beyond fails there with EDQUOT. 0 removes the limit. What
     * layers of the tree keep may be charged to it too, so this is to be called again after each snapshot.
     */
    void limit(String tree, long bytes);

    /** Whether {@link #limit} holds on this pool. */
    boolean canLimit();

    /** Bytes that are charged to the tree. */
    long usedBytes(String tree);

    /** Removes a tree with all in it. Fine if it is not there; never crosses a mount or follows a link. */
    void remove(String tree);

    /** The trees that exist, half-removed ones included. */
    Set<String> trees();

    /** The frozen copies of trees, beside them. */
    Layers layers();
}
