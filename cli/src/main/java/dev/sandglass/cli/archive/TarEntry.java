package dev.sandglass.cli.archive;

/** One entry of an archive, as its headers say; nothing in it is checked yet. Times are seconds since 1970. */
record TarEntry(String name, Kind kind, int mode, long size, long modifiedAt, String link) {
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
