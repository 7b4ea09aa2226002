package dev.sandglass.server;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Processes of this host. */
final class Processes {
    private Processes() {}

    static void kill(@Nullable Long pid) throws IOException {
        if (pid == null || pid < 2) {
            throw new AssertionError("pid: " + pid + " (expected: a process of a sandbox)");
        }
        MountNamespace.output(new ProcessBuilder("kill", "-9", Long.toString(pid)));
    }
}
