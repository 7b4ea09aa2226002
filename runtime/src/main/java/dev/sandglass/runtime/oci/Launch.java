package dev.sandglass.runtime.oci;

import dev.sandglass.linux.Fifo;
import dev.sandglass.linux.ProcessFacts;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * One start of an engine, inside the sandbox's control groups and with the sandbox's FIFOs as its streams. To enter a
 * group may take the kernel some milliseconds of waiting, in which the caller can mount what the engine will need.
 */
final class Launch implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private final SandboxDirectory directory;
    private final String engine;
    private final Process process;
    private final Runnable next;

    /**
     * Tells a waiting shell what to become.
     *
     * @param next called when this start is over, however it ends
     */
    Launch(SandboxDirectory directory, String engine, Process process, Runnable next, String lines) throws IOException {
        this.directory = directory;
        this.engine = engine;
        this.process = process;
        this.next = next;
        OutputStream words = process.getOutputStream();
        words.write(lines.getBytes(StandardCharsets.UTF_8));
        words.flush();
    }

    /** Runs the engine; returns the host pid of the sandbox's process, which runs. */
    long go() throws IOException {
        // The shell's opening of the output waits for a reader.
        try (FileChannel _ = Fifo.open(directory.out())) {
            try (OutputStream word = process.getOutputStream()) {
                word.write('\n');
            } catch (IOException itHasEnded) {
                // its status says more
            }
            await();
        }
        return pid();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        next.run();
    }

    private void await() throws IOException {
        try {
            if (!process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException(engine + " did not return within " + DEADLINE.toSeconds() + " s");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + engine + " started");
        }
        if (process.exitValue() != 0) {
            throw new IOException(engine + " ended with status " + process.exitValue());
        }
    }

    private long pid() throws IOException {
        try {
            long pid = Long.parseLong(Files.readString(directory.pidFile()).strip());
            OptionalLong began = ProcessFacts.startTicks(pid);
            if (began.isPresent()) {
                return pid;
            }
        } catch (NoSuchFileException | NumberFormatException _) {
            // said below
        }
        throw new IOException("PID 1 ended at once");
    }
}
