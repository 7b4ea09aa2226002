package dev.sandglass.engine.archive;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/**
 * The bytes of a snapshot's file once they are expanded, numbers big-endian: magic and version (the first did not say for which architecture
 * the file is); the length and text of the header; the parts in the header's order, each its manifest and then the content of its files; the magic again, and no more.
 */
public final class ArchiveFormat {
    public static final int VERSION = 2;
    /** How a snapshot's file is called. */
    public static final String SUFFIX = ".sgs";
    /** How a plain archive of an overlay's upper directory is called. */
    public static final String TAR_SUFFIX = ".tar.gz";
    /** How one that is not compressed is called. */
    public static final String PLAIN_TAR_SUFFIX = ".tar";

    static final long MAGIC = 0x53_47_53_4E_41_50_31_0AL; // "SGSNAP1\n"
    static final int HEADER_BYTES = 4 << 20;
    static final int PARTS = 512;
    static final long MANIFEST_BYTES = 4L << 30;
    public static final long ENTRIES = 1L << 25;
    /** Holes included. Of a plain archive all that it is when it is expanded. */
    public static final long BYTES = 256L << 30;
    /** Of an image, which is hashed twice. */
    static final long IMAGE_BYTES = 16L << 30;

    static final long AGENT_BYTES = 16L << 20;

    private ArchiveFormat() {}

    public static SandglassException refused(String what) {
        return new SandglassException(
                ErrorCode.ARCHIVE_REFUSED, "The file is not taken: " + what + ".", "Export the snapshot again, or pack the directory again, and copy the whole file.");
    }

    static long bounded(String what, long value, long least, long most) {
        if (value < least || value > most) {
            throw refused(what + ": " + value + " (expected: " + least + " to " + most + ")");
        }
        return value;
    }
}
