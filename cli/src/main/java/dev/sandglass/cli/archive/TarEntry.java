package dev.sandglass.cli.archive;

import java.time.Instant;

/** One entry of an archive, as its headers say, with names as bytes ({@link RawName}); nothing in it is checked yet. */
record TarEntry(String name, Kind kind, int mode, long size, Instant modifiedAt, String link) {
    /** What an entry is. */
    enum Kind {
        FILE,
        HARD_LINK,
        SYMBOLIC_LINK,
        DIRECTORY,
        /** Devices, FIFOs and what is not known. */
        OTHER
    }
}
