package dev.sandglass.server;

import java.io.Console;

/** Whether a person is looking, and how much that one sees. */
final class Terminal {
    private static final int USUAL_COLUMNS = 80;

    private Terminal() {}

    /** How wide a line may be, as the launcher has asked the terminal; any where there is none. */
    static int columns() {
        if (!isThere()) {
            return Integer.MAX_VALUE;
        }
        String asked = System.getenv().getOrDefault("COLUMNS", "");
        return asked.matches("[1-9][0-9]{0,3}") ? Integer.parseInt(asked) : USUAL_COLUMNS;
    }

    @SuppressWarnings("SystemConsoleNull") // it may be, with -Djdk.console=java.base
    static boolean isThere() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }
}
