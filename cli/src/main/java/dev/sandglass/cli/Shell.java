package dev.sandglass.cli;

import java.util.List;

/** The login shell of a sandbox: bash where there is one, else sh. */
final class Shell {
    private Shell() {}

    /** Runs one line of shell. */
    static List<String> line(String line) {
        String choose = "[ -x /bin/bash ] && exec /bin/bash -lc \"$1\"; exec /bin/sh -lc \"$1\"";
        return List.of("/bin/sh", "-c", choose, "sh", line);
    }

    /** An interactive one. */
    static List<String> interactive() {
        return List.of("/bin/sh", "-c", "[ -x /bin/bash ] && exec /bin/bash -l; exec /bin/sh -l");
    }
}
