package dev.sandglass.wire.tar;

import java.time.Instant;
import java.util.Map;

/**
 * One entry of an archive, as its headers say; nothing in it is checked yet.
 *
 * @param major of a device
 * @param attributes extended ones
 */
public record TarEntry(
        String name,
        Kind kind,
        int mode,
        int uid,
        int gid,
        long size,
        Instant modifiedAt,
        String link,
        int major,
        int minor,
        Map<String, String> attributes) {
    /** What an entry is. */
    public enum Kind {
        FILE,
        HARD_LINK,
        SYMBOLIC_LINK,
        DIRECTORY,
        FIFO,
        CHARACTER_DEVICE,
        BLOCK_DEVICE,
        /** Sparse files and what is not known. */
        OTHER
    }
}
