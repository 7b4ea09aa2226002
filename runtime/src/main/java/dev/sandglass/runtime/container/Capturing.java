package dev.sandglass.runtime.container;

import dev.sandglass.linux.ChildProcess;
import dev.sandglass.linux.ProcessFacts;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The CRIU that captures a sandbox, at most one at a time. It outlives a daemon that dies, because processes of which it has not let go
 * would be lost with it: so a file beside the sandbox names it before it begins, and nobody lets the sandbox go on before it is over.
 */
record Capturing(Path directory) {
    /** Gigabytes to a slow disk. */
    private static final Duration DEADLINE = Duration.ofMinutes(10);
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** Begins at a word; without it, because the daemon is gone, it ends. */
    private static final String SCRIPT = "read -r word || exit 125; exec \"$@\" </dev/null";

    private record Known(long pid, long startTicks) {
        boolean isAlive() {
            return ProcessFacts.startTicks(pid).equals(OptionalLong.of(startTicks));
        }
    }

    /** Returns the status with which it ends. */
    int run(List<String> command, Path log) throws IOException {
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "sandglass-capture"));
        words.addAll(command);
        Process process = ChildProcess.start(
                new ProcessBuilder(words).redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(log.toFile()));
        try {
            long began = ProcessFacts.startTicks(process.pid()).orElseThrow(() -> new IOException("the shell ended at once"));
            Files.writeString(memory(), process.pid() + " " + began);
            try (OutputStream word = process.getOutputStream()) {
                word.write('\n');
            }
            if (!process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException("criu did not end within " + DEADLINE.toSeconds() + " s");
            }
            return process.exitValue();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while criu wrote");
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(memory());
        }
    }

    /** Waits for one that an earlier daemon began. */
    void await() throws IOException {
        Optional<Known> known = known();
        if (known.isEmpty()) {
            return;
        }
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        while (known.get().isAlive()) {
            if (System.nanoTime() - deadline > 0) {
                ProcessHandle.of(known.get().pid()).ifPresent(ProcessHandle::destroyForcibly);
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
        Files.deleteIfExists(memory());
    }

    /** Empty also when the file was not written to its end: then the word was not given. */
    private Optional<Known> known() throws IOException {
        try {
            String[] words = Files.readString(memory()).split(" ");
            return words.length == 2 ? Optional.of(new Known(Long.parseLong(words[0]), Long.parseLong(words[1]))) : Optional.empty();
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
    }

    private Path memory() {
        return directory.resolve("capturing");
    }
}
