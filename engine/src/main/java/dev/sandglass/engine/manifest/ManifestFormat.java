package dev.sandglass.engine.manifest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The bytes of a manifest, version 3 (the first had other hashes of files with long runs of zeros, the second said neither image nor
 * architecture), all numbers big-endian: magic and version; facts (count, then pairs of texts with a
 * length of 4 bytes before them); states likewise; entries, each with a 1 before it; a 0; the number of entries, the bytes,
 * the digest over what is the same on every machine, and the seal: SHA-256 over every byte before it.
 */
final class ManifestFormat {
    static final long MAGIC = 0x53_47_4D_41_4E_49_46_0AL; // "SGMANIF\n"
    static final int VERSION = 3;
    static final int ENTRY = 1;
    static final int END = 0;
    static final int HASH_BYTES = 32;
    static final int PAIRS = 256;
    static final int TEXT = 64 * 1024;
    static final int NAME = 255;
    static final int TARGET = 4096;
    static final int ATTRIBUTES = 4096;
    static final int ATTRIBUTE_VALUE = 64 * 1024;
    /** Of all attributes of one entry: more than any filesystem keeps for a file. */
    static final int ATTRIBUTE_BYTES = 8 << 20;
    /** Deeper than a program can name with one path. */
    static final int DEPTH = 4096;

    static final int DIRECTORY = 'd';
    static final int REGULAR = 'f';
    static final int HARD_LINK = 'h';
    static final int LINK = 'l';
    static final int BLOCK = 'b';
    static final int CHARACTER = 'c';
    static final int FIFO = 'p';
    static final int SOCKET = 's';

    private ManifestFormat() {}

    static SandglassException damaged(String what) {
        return new SandglassException(
                ErrorCode.SNAPSHOT_DAMAGED, what, "It cannot be used. Take the snapshot again, or import it again.");
    }

    static int bounded(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw damaged("manifest: " + what + ": " + value + " (expected: " + least + " to " + most + ")");
        }
        return value;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
