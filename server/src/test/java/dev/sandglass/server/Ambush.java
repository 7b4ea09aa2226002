package dev.sandglass.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/** A step at which a daemon dies, fails or stands still, whether it runs already or is started later: it looks into a file at every step. */
final class Ambush {
    private final Path file;
    private final Path held;
    private int times = 1;

    Ambush(Path run) {
        this.file = run.resolve("failpoint");
        this.held = run.resolve("held");
    }

    Path file() {
        return file;
    }

    void kill(String step, int after) {
        lay("step=%s\nafter=%d\n".formatted(step, after));
    }

    void fail(String step, int after) {
        lay("step=%s\nafter=%d\nfails=true\n".formatted(step, after));
    }

    void hold(String step, int many) {
        times = many;
        lay("step=%s\ntimes=%d\nholds=%s\n".formatted(step, many, held));
    }

    void remove() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** Waits until it stands still there, does something, and lets it go on. */
    void meanwhile(Runnable something) throws IOException {
        Eventually.get(this::isHeld, there -> there);
        try {
            something.run();
        } finally {
            Files.delete(held);
        }
    }

    private boolean isHeld() {
        try {
            return Files.exists(held) && Files.size(held) == times;
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** At once, or the daemon might read half of it; and never the same twice, or the daemon would go on counting. */
    private void lay(String what) {
        try {
            Path fresh = file.resolveSibling("failpoint.new");
            Files.writeString(fresh, what + "id=" + UUID.randomUUID() + "\n");
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
