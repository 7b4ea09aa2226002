package dev.sandglass.engine.archive;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.function.LongConsumer;

/** The bytes that may still be written for one import. Not thread-safe. */
public final class Budget {
    /** What the filesystem keeps for a file beside its content. */
    public static final long PER_FILE = 512;

    /** So often somebody is told of what was taken. */
    private static final long STEP = 1 << 20;

    private final LongConsumer taken;
    private long left;
    private long untold;

    /** As much as the disk has room for. */
    public Budget(long bytes) {
        this(bytes, _ -> {});
    }

    /** @param taken told of what was taken since it was last told, now and then; it may refuse */
    public Budget(long bytes, LongConsumer taken) {
        this.left = bytes;
        this.taken = taken;
    }

    /**
     * Takes what an entry of a tree costs beside its content.
     *
     * @param name its length; the filesystem keeps it three times
     * @param more what else it has: the target of a link, attributes
     */
    public void takeEntry(long name, long more) {
        take(PER_FILE + 3 * name + more);
    }

    /** Refuses what there is no room for, before any of it is written; nothing is taken yet. */
    public void require(long bytes) {
        if (bytes > left) {
            throw new SandglassException(
                    ErrorCode.DISK_FULL, "The file has more in it than there is room for.", "Make room on the disk, and import it again.");
        }
    }

    public void take(long bytes) {
        require(bytes);
        left -= bytes;
        untold += bytes;
        if (untold >= STEP) {
            taken.accept(untold);
            untold = 0;
        }
    }
}
