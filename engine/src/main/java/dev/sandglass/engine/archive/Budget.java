package dev.sandglass.engine.archive;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/** The bytes that may still be written for one import. Not thread-safe. */
public final class Budget {
    /** What the filesystem keeps for a file beside its content. */
    public static final long PER_FILE = 512;

    private long left;

    public Budget(long bytes) {
        this.left = bytes;
    }

    public void take(long bytes) {
        left -= bytes;
        if (left < 0) {
            throw new SandglassException(
                    ErrorCode.DISK_FULL, "The file has more in it than there is room for.", "Make room on the disk, and import it again.");
        }
    }
}
