package dev.sandglass.runtime.oci;

import dev.sandglass.linux.Fifo;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of one running sandbox: the two FIFOs to its PID 1, its engine's log and its bundle. Where it
 * lies on tmpfs the log is charged to the sandbox's own memory, so it cannot fill the host.
 */
public record SandboxDirectory(Path path) {
    private static final int LOG_TAIL_BYTES = 2000;

    /** Makes it; fails if it is there already. */
    void make() throws IOException {
        Files.createDirectory(path);
        RunDirectory.makeTraversable(path);
        Files.createDirectory(bundle());
        Fifo.make(in());
        Fifo.make(out());
    }

    /** What PID 1 reads. */
    public Path in() {
        return path.resolve("in");
    }

    /** What PID 1 writes. */
    public Path out() {
        return path.resolve("out");
    }

    /** What the engine and PID 1 have to say besides. */
    public Path log() {
        return path.resolve("log");
    }

    /**
     * A mount of its own while the sandbox starts, with the layers and the root below it. The engine takes the root into the
     * sandbox's mount namespace; then one unmount takes all of this out of the daemon's, so that starting a sandbox costs
     * the same however many there are, and nothing stays mounted when they end.
     */
    public Path mounts() {
        return path.resolve("mounts");
    }

    /** Where the root filesystem is mounted. */
    public Path root() {
        return mounts().resolve("root");
    }

    public Path bundle() {
        return path.resolve("bundle");
    }

    public Path pidFile() {
        return path.resolve("pid");
    }

    /** The end of the log in one line, without control characters: a hostile image may have a say in it. */
    String logTail() {
        try (RandomAccessFile file = new RandomAccessFile(log().toFile(), "r")) {
            file.seek(Math.max(0, file.length() - LOG_TAIL_BYTES));
            byte[] tail = new byte[LOG_TAIL_BYTES];
            int length = Math.max(0, file.read(tail));
            return new String(tail, 0, length, StandardCharsets.UTF_8)
                    .replaceAll("\\s+", " ")
                    .replaceAll("\\p{Cntrl}", "?")
                    .strip();
        } catch (IOException _) {
            return "";
        }
    }
}
