package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Exit;

/** What the end of a command means: an exit code, and a word where the code alone would puzzle. */
final class Ending {
    static final int TIMED_OUT = 124;

    private Ending() {}

    static int report(Console console, Exit exit) {
        if ("timeout".equals(exit.reason())) {
            console.warn("error: the command was killed after its time limit\nhint: Raise it with --timeout.\n");
            return TIMED_OUT;
        }
        if ("oom".equals(exit.reason())) {
            String message = exit.message() == null ? "the command was killed: out of memory" : exit.message();
            console.warn("error: " + Inert.lines(message) + "\n");
        }
        if ("rewound".equals(exit.reason())) {
            console.warn("error: the command ended with the state in which it ran: its sandbox was turned back\nhint: Start it again, or go forward again with `sandglass rewind --undo`.\n");
        }
        return exit.code();
    }
}
