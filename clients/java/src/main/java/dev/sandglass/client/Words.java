package dev.sandglass.client;

import java.util.List;

/** Command lines as the daemon takes them. */
final class Words {
    private Words() {}

    /** A line for the login shell: bash where there is one, else sh. */
    static List<String> ofLine(String line) {
        return List.of("/bin/sh", "-c", "[ -x /bin/bash ] && exec /bin/bash -lc \"$1\"; exec /bin/sh -lc \"$1\"", "sh", line);
    }

    /** An interactive login shell. */
    static List<String> shell() {
        return List.of("/bin/sh", "-c", "[ -x /bin/bash ] && exec /bin/bash -l; exec /bin/sh -l");
    }
}
