package dev.sandglass.bench.network;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** What has to be taken away, the last first, and all of it whatever fails. Not thread-safe. */
final class Owned implements AutoCloseable {
    /** Takes one thing away. */
    interface Release {
        void run() throws IOException;
    }

    private final Deque<Release> releases = new ArrayDeque<>();

    void add(Release release) {
        releases.push(release);
    }

    /** Also when it is called again, each is taken away once. */
    @Override
    public void close() throws IOException {
        IOException problems = null;
        while (!releases.isEmpty()) {
            try {
                releases.pop().run();
            } catch (IOException | RuntimeException problem) {
                if (problems == null) {
                    problems = new IOException("something of the bench could not be taken away: " + problem.getMessage());
                }
                problems.addSuppressed(problem);
            }
        }
        if (problems != null) {
            throw problems;
        }
    }
}
