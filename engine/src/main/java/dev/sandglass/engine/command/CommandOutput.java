package dev.sandglass.engine.command;

import dev.sandglass.wire.Exit;

/** What a reader of a command gets, in order. */
public sealed interface CommandOutput {
    /** Bytes of standard output (kind 1, a pty's too) or standard error (kind 2). */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared or kept
    record Data(int kind, long offset, byte[] bytes) implements CommandOutput {}

    /** The command has ended and all its output was read. */
    record Ended(Exit exit) implements CommandOutput {}

    /** That many bytes are missing here: they were not kept, or this reader was too slow for others. */
    record Dropped(long bytes) implements CommandOutput {}

    /** What was kept has been read; the command still runs, and this reader did not want to follow it, or was closed. */
    record End() implements CommandOutput {}
}
