package dev.sandglass.runtime.oci;

import dev.sandglass.linux.Fifo;
import dev.sandglass.linux.ProcessFacts;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Runs an engine's start command inside the sandbox's control groups, with the sandbox's FIFOs as its streams. To enter a
 * group takes the kernel some milliseconds of waiting, in which the caller can mount what the engine will need.
 */
final class Launch implements AutoCloseable {
    /**
     * The shell enters the groups, waits for its word and then becomes the engine, so the limits hold from the engine's first
     * instruction; without the word, because the daemon is gone, it ends. The input is opened for reading and writing, so that PID 1
     * sees no end when the daemon's side goes away; the output for writing only, because a checkpoint of gVisor drains every
     * pipe that the sandbox could read.
     */
    private static final String SCRIPT =
            """
            directory=$1; shift
            exec 2>>"$directory/log"
            while [ "$1" != -- ]; do echo 0 >"$1" || exit 125; shift; done
            shift
            read -r word || exit 125
            exec "$@" 0<>"$directory/in" 1>"$directory/out"
            """;

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final File NOTHING = new File("/dev/null");

    private final SandboxDirectory directory;
    private final String engine;
    private final Process process;

    private Launch(SandboxDirectory directory, String engine, Process process) {
        this.directory = directory;
        this.engine = engine;
        this.process = process;
    }

    /** Lets a process enter the groups that will become the engine. */
    static Launch begin(SandboxDirectory directory, List<Path> entrances, List<String> command) throws IOException {
        List<String> line = new ArrayList<>(List.of("sh", "-c", SCRIPT, "sandglass-launch", directory.path().toString()));
        entrances.forEach(entrance -> line.add(entrance.toString()));
        line.add("--");
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line)
                .directory(directory.path().toFile())
                .redirectOutput(NOTHING)
                .redirectError(NOTHING);
        Map<String, String> environment = builder.environment();
        environment.clear(); // nothing of the daemon's environment is the engine's business
        environment.put("PATH", PATH);
        return new Launch(directory, command.getFirst(), builder.start());
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
