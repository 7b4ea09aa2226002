package dev.sandglass.engine.manifest;

/** What an entry of a manifest is, with what belongs to that type alone. */
public sealed interface EntryContent {
    record Directory() implements EntryContent {}

    /** A regular file; {@code sha256} has 32 bytes. */
    record RegularFile(long size, Bytes sha256) implements EntryContent {}

    /** One more name of a regular file or other non-directory: the number of the entry that came first, counted from 0. */
    record HardLink(long first) implements EntryContent {}

    record SymbolicLink(Bytes target) implements EntryContent {}

    /** A device; the character device 0:0 is an overlay's whiteout. */
    record Device(boolean block, int major, int minor) implements EntryContent {}

    record Fifo() implements EntryContent {}

    record Socket() implements EntryContent {}
}
