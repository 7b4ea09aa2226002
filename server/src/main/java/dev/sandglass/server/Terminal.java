package dev.sandglass.server;

import java.io.Console;

/** Whether a person is looking. */
final class Terminal {
    private Terminal() {}

    @SuppressWarnings("SystemConsoleNull") // it may be, with -Djdk.console=java.base
    static boolean isThere() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }
}
