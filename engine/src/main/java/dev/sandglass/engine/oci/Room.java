package dev.sandglass.engine.oci;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/** The room on a disk that images leave to others. Stateless. */
final class Room {
    /** What stays free. */
    static final long RESERVE = 512L << 20;

    private Room() {}

    /** Refuses with {@code disk_full} to go on when so many bytes are free. */
    static void require(long free) {
        if (free < RESERVE) {
            throw new SandglassException(
                    ErrorCode.DISK_FULL,
                    "There are " + (free >> 20) + " MiB free on the disk (expected: >= " + (RESERVE >> 20) + " MiB), so nothing more of the image is written.",
                    "Make room on the disk, and try again.");
        }
    }
}
