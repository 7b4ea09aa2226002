package dev.sandglass.pool;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The room left on filesystems that lie on each other: a loop file's and its host's. A loop file is sparse: when its host is full, writes of every sandbox fail
 * in it, and btrfs may turn read-only for all of them. So the last of the host's room is nobody's. By {@code java.io.File}: a
 * {@code FileStore} needs an entry in the mount table, which subvolumes do not have.
 *
 * @param places all that lie on each other
 * @param data the data directory
 * @param floor bytes on its disk that are to stay free
 */
record FreeSpace(List<Path> places, Path data, long floor) {
    private static final long MOST_FLOOR = 1L << 30;
    private static final int SHARE_OF_FLOOR = 50;
    private static final long MEBIBYTE = 1 << 20;

    static FreeSpace of(Path data, Path... places) {
        return new FreeSpace(List.of(places), data, Math.min(MOST_FLOOR, data.toFile().getTotalSpace() / SHARE_OF_FLOOR));
    }

    long bytes() {
        return Math.max(0, places.stream().mapToLong(this::left).min().orElse(0));
    }

    private long left(Path place) {
        return place.toFile().getUsableSpace() - (place.equals(data) ? floor : 0);
    }

    /** The smallest share of free space, from 0 to 1. */
    double share() {
        return places.stream()
                .mapToDouble(place -> (double) place.toFile().getUsableSpace()
                        / Math.max(1, place.toFile().getTotalSpace()))
                .min()
                .orElse(0);
    }

    /** Refuses what needs room while the data directory's disk has none to give. */
    void require() {
        shortage().ifPresent(what -> {
            throw new SandglassException(
                    ErrorCode.DISK_FULL,
                    what,
                    "Make room on that disk, or remove sandboxes and snapshots. Sandboxes that run go on; they can be stopped, paused with --disk-only and removed.");
        });
    }

    /** That there is too little, if so. */
    Optional<String> shortage() {
        long free = data.toFile().getUsableSpace();
        return free >= floor
                ? Optional.empty()
                : Optional.of("The disk of " + data + " has " + free / MEBIBYTE + " MB free (expected: >= " + floor / MEBIBYTE + " MB), so nothing is begun that needs room.");
    }
}
