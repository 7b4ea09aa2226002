package dev.sandglass.acceptance;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** This checkout with a data directory, a run directory and a port of its own, so that a daemon of the host is not touched. */
final class Checkout implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofMinutes(10);

    /** What a command printed, and how it ended. */
    record Outcome(int status, String stdout, String stderr) {}

    private final Path root = Path.of("..").toAbsolutePath().normalize();
    private final Path data = root.resolve(".test-data/daemon-1");
    private final Path run = Path.of("/run/sandglass-acceptance-" + ProcessHandle.current().pid());
    private final int port;
    private final int routes;

    Checkout() throws IOException {
        try (ServerSocket free = new ServerSocket(0);
                ServerSocket another = new ServerSocket(0)) {
            port = free.getLocalPort();
            routes = another.getLocalPort();
        }
        // What Maven has just packaged is up to date; without this mark the launcher would build it again.
        Files.writeString(root.resolve("target/dist/built"), "");
    }

    Path root() {
        return root;
    }

    /** Runs a line of a document with bash. */
    Outcome bash(String line) throws IOException, InterruptedException {
        return start(new ProcessBuilder("bash", "-c", here(line)));
    }

    /** A line of a document with the places of a standard installation replaced by those of this one. */
    String here(String line) {
        return line.replace("/var/lib/sandglass", data.toString()).replace("127.0.0.1:7070", "127.0.0.1:" + port).replace(":7071", ":" + routes);
    }

    /** Runs a line that must work, and returns what it printed. */
    String check(String line) throws IOException, InterruptedException {
        Outcome outcome = bash(line);
        if (outcome.status() != 0) {
            throw new AssertionError(line + " ended with " + outcome.status() + "\n" + outcome.stdout() + outcome.stderr());
        }
        return outcome.stdout();
    }

    /** What a program needs to find this checkout's daemon. */
    Map<String, String> environment() {
        return Map.of(
                "SANDGLASS_DATA_DIR", data.toString(), "SANDGLASS_RUN_DIR", run.toString(), "SANDGLASS_LISTEN", "127.0.0.1:" + port,
                "SANDGLASS_ROUTE_LISTEN", "127.0.0.1:" + routes);
    }

    /** The process of the daemon. */
    long daemon() throws IOException {
        return Long.parseLong(Files.readString(run.resolve("daemon.pid")).strip());
    }

    private Outcome start(ProcessBuilder builder) throws IOException, InterruptedException {
        Path out = Files.createTempFile("acceptance", ".out");
        Path err = Files.createTempFile("acceptance", ".err");
        try {
            builder.environment().putAll(environment());
            Process process = builder.directory(root.toFile())
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            if (!process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("it did not end:\n" + Files.readString(err));
            }
            return new Outcome(
                    process.exitValue(),
                    Files.readString(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    /** Removes all sandboxes, stops the daemon and lets go of its mount namespace. */
    @Override
    public void close() throws IOException {
        try {
            bash("./sandglass rm --all --force; ./sandglass down");
            start(new ProcessBuilder(
                    "bash",
                    "-c",
                    "nsenter --mount='" + run + "/ns/mnt' umount '" + data + "/pool'; umount '" + run + "/ns/mnt'; umount '" + run
                            + "/ns'; rm -rf --one-file-system '" + run + "'"));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
