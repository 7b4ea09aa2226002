package dev.sandglass.pool;

import java.util.Locale;

/** How a pool keeps its trees, best first. */
public enum PoolKind {
    /** Subvolumes of the btrfs that the data directory is on. */
    BTRFS,
    /** Subvolumes of a btrfs in a sparse file in the data directory. */
    BTRFS_LOOP,
    /** Directories whose files share their data until they are written to. */
    REFLINK,
    /** Directories, copied in full. */
    COPY;

    /** The kind as status and configuration have it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static PoolKind of(String text) {
        for (PoolKind kind : values()) {
            if (kind.text().equals(text)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("pool kind: " + text + " (expected: btrfs, btrfs-loop, reflink or copy)");
    }
}
