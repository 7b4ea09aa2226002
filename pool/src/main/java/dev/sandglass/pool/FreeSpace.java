package dev.sandglass.pool;

import java.nio.file.Path;
import java.util.List;

/**
 * The room left on filesystems that lie on each other: a loop file's and its host's. By {@code java.io.File}: a
 * {@code FileStore} needs an entry in the mount table, which subvolumes do not have.
 */
record FreeSpace(List<Path> places) {
    long bytes() {
        return places.stream()
                .mapToLong(place -> place.toFile().getUsableSpace())
                .min()
                .orElse(0);
    }

    /** The smallest share of free space, from 0 to 1. */
    double share() {
        return places.stream()
                .mapToDouble(place -> (double) place.toFile().getUsableSpace()
                        / Math.max(1, place.toFile().getTotalSpace()))
                .min()
                .orElse(0);
    }
}
