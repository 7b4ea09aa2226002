package dev.sandglass.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What {@code statx} says of a file, a link not followed.
 *
 * @param mode type and permissions, as in {@code st_mode}
 * @param size in bytes, holes included
 * @param modifiedNanos from 0 to 999,999,999, as {@code changedNanos}
 * @param changedSeconds the time of the last change of anything, which no program can set
 * @param blocks on disk, of 512 bytes
 */
public record FileFacts(
        int mode,
        int uid,
        int gid,
        long size,
        long modifiedSeconds,
        int modifiedNanos,
        long changedSeconds,
        int changedNanos,
        long inode,
        int links,
        int major,
        int minor,
        long blocks) {
    public static final int TYPE = 0xF000;
    public static final int SOCKET = 0xC000;
    public static final int LINK = 0xA000;
    public static final int REGULAR = 0x8000;
    public static final int BLOCK = 0x6000;
    public static final int DIRECTORY = 0x4000;
    public static final int CHARACTER = 0x2000;
    public static final int FIFO = 0x1000;

    static final int BYTES = 256;
    static final int BASIC = 0x7ff;

    /** One of the constants of this record. */
    public int type() {
        return mode & TYPE;
    }

    public boolean isDirectory() {
        return type() == DIRECTORY;
    }

    public boolean isRegular() {
        return type() == REGULAR;
    }

    /** Whether an overlay takes it for "nothing is here, whatever lies below". */
    public boolean isWhiteout() {
        return type() == CHARACTER && major == 0 && minor == 0;
    }

    static FileFacts of(MemorySegment statx) {
        return new FileFacts(
                Short.toUnsignedInt(statx.get(ValueLayout.JAVA_SHORT, 28)),
                statx.get(ValueLayout.JAVA_INT, 20),
                statx.get(ValueLayout.JAVA_INT, 24),
                statx.get(ValueLayout.JAVA_LONG, 40),
                statx.get(ValueLayout.JAVA_LONG, 112),
                statx.get(ValueLayout.JAVA_INT, 120),
                statx.get(ValueLayout.JAVA_LONG, 96),
                statx.get(ValueLayout.JAVA_INT, 104),
                statx.get(ValueLayout.JAVA_LONG, 32),
                statx.get(ValueLayout.JAVA_INT, 16),
                statx.get(ValueLayout.JAVA_INT, 128),
                statx.get(ValueLayout.JAVA_INT, 132),
                statx.get(ValueLayout.JAVA_LONG, 48));
    }
}
