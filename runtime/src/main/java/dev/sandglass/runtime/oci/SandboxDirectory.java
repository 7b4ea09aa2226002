package dev.sandglass.runtime.oci;

import dev.sandglass.linux.Fifo;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of one running sandbox: the two FIFOs to its PID 1, its engine's log, its bundle and its mounted root. The log
 * lies on tmpfs and is charged to the sandbox's own memory, so it cannot fill the host.
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

    Path log() {
        return path.resolve("log");
    }

    /** Where the root filesystem is mounted. */
    public Path root() {
        return path.resolve("root");
    }

    public Path bundle() {
        return path.resolve("bundle");
    }

    public Path pidFile() {
        return path.resolve("pid");
    }

    /** A directory below which layers are named by short paths while the root is being mounted. */
    public Path layers() {
        return path.resolve("layers");
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
