package dev.sandglass.cli;

import java.util.List;

/** The login shell of a sandbox: bash where there is one, else sh. */
final class Shell {
    private static final String CHOOSE = "[ -x /bin/bash ] && exec /bin/bash -lc \"$1\"; exec /bin/sh -lc \"$1\"";
    private static final int WORDS_BEFORE_LINE = 4;

    private Shell() {}

    /** Runs one line of shell. */
    static List<String> line(String line) {
        return List.of("/bin/sh", "-c", CHOOSE, "sh", line);
    }

    /** A command as it was typed: the line, where a shell was put around it. */
    static String shown(List<String> argv) {
        if (argv.equals(interactive())) {
            return "(a login shell)";
        }
        boolean isLine = argv.size() == WORDS_BEFORE_LINE + 1 && argv.equals(line(argv.getLast()));
        return isLine ? argv.getLast() : String.join(" ", argv);
    }

    /** An interactive one. */
    static List<String> interactive() {
        return List.of("/bin/sh", "-c", "[ -x /bin/bash ] && exec /bin/bash -l; exec /bin/sh -l");
    }
}
