package dev.sandglass.runtime.oci;

import dev.sandglass.linux.ChildProcess;
import dev.sandglass.linux.SealedProgram;
import dev.sandglass.linux.SearchPath;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts engines. A shell always waits, started ahead, to become the next one: a large Java process takes milliseconds to start
 * another. Thread-safe; lives as long as the program, with which its shell's input and so the shell ends.
 */
final class Launcher {
    /**
     * The shell enters the groups, waits for its word and then becomes the engine, so the limits hold from the engine's first
     * instruction; without the word, because the daemon is gone, it ends. The input is opened for reading and writing, so that PID 1
     * sees no end when the daemon's side goes away; the output for writing only, because a checkpoint of gVisor drains every
     * pipe that the sandbox could read.
     */
    private static final String SCRIPT =
            """
            IFS= read -r directory && cd "$directory" && exec 2>>log || exit 125
            read -r slack && echo "$slack" >/proc/$$/timerslack_ns || :
            while IFS= read -r entrance && [ -n "$entrance" ]; do echo 0 >"$entrance" || exit 125; done
            set --
            while IFS= read -r word && [ -n "$word" ]; do set -- "$@" "$word"; done
            read -r word || exit 125
            exec "$@" 0<>in 1>out
            """;

    private static final Logger LOG = LoggerFactory.getLogger(Launcher.class);
    private static final SearchPath PATH = SearchPath.SYSTEM;
    private static final File NOTHING = new File("/dev/null");

    /** A copy, and the program as it was then: it may be upgraded under a running daemon. */
    private record Copy(Path original, BasicFileAttributes then, SealedProgram program) {
        boolean isOf(Path path, BasicFileAttributes now) {
            return original.equals(path)
                    && then.lastModifiedTime().equals(now.lastModifiedTime())
                    && then.size() == now.size()
                    && String.valueOf(then.fileKey()).equals(String.valueOf(now.fileKey()));
        }
    }

    private final boolean copies;
    private final AtomicReference<@Nullable Process> spare = new AtomicReference<>();
    private volatile @Nullable Copy copy;

    /** @param copies whether the engine makes a copy of itself at each start, unless it runs from one */
    Launcher(boolean copies) {
        this.copies = copies;
    }

    /** Lets a process enter the groups that will become the engine, whose timers may be so late; none is what a process has anyway. */
    Launch begin(SandboxDirectory directory, Duration late, List<Path> entrances, List<String> command) throws IOException {
        StringBuilder lines = new StringBuilder();
        line(lines, directory.path().toString());
        line(lines, Long.toString(late.toNanos()));
        for (Path entrance : entrances) {
            line(lines, entrance.toString());
        }
        lines.append('\n');
        line(lines, executable(command.getFirst()));
        for (String word : command.subList(1, command.size())) {
            line(lines, word);
        }
        lines.append('\n');
        Process waiting = spare.getAndSet(null);
        if (waiting != null) {
            try {
                return new Launch(directory, command.getFirst(), waiting, this::prepare, lines.toString());
            } catch (IOException killed) {
                LOG.debug("The waiting shell has ended: {}", killed.getMessage());
            }
        }
        return new Launch(directory, command.getFirst(), shell(), this::prepare, lines.toString());
    }

    private static void line(StringBuilder lines, String text) throws IOException {
        if (text.isEmpty() || text.indexOf('\n') >= 0) {
            throw new IOException("no engine can be started with an empty word or a line break in: " + text);
        }
        lines.append(text).append('\n');
    }

    /** Sees to it that a shell waits for the next launch. */
    private void prepare() {
        if (spare.get() != null) {
            return;
        }
        Thread.ofVirtual().start(() -> {
            try {
                Process fresh = shell();
                if (!spare.compareAndSet(null, fresh)) {
                    fresh.destroyForcibly();
                }
            } catch (IOException problem) {
                LOG.warn("No shell can be started ahead: {}", problem.getMessage());
            }
        });
    }

    private static Process shell() throws IOException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", SCRIPT, "sandglass-launch")
                .directory(new File("/"))
                .redirectOutput(NOTHING)
                .redirectError(NOTHING);
        Map<String, String> environment = builder.environment();
        environment.clear(); // nothing of the daemon's environment is the engine's business
        environment.put("PATH", PATH.text());
        return ChildProcess.start(builder);
    }

    private String executable(String engine) {
        if (!copies) {
            return engine;
        }
        Optional<Path> original = PATH.find(engine);
        if (original.isEmpty()) {
            return engine;
        }
        try {
            Path path = original.get();
            BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
            Copy known = copy;
            if (known == null || !known.isOf(path, now)) {
                known = copied(path, now);
            }
            return known.program().path().toString();
        } catch (IOException problem) {
            LOG.debug("{} is run as it is: {}", engine, problem.getMessage());
            return engine;
        }
    }

    /** One copy, however many start at once. */
    private synchronized Copy copied(Path path, BasicFileAttributes now) throws IOException {
        Copy known = copy;
        if (known == null || !known.isOf(path, now)) {
            known = new Copy(path, now, SealedProgram.of(path));
            copy = known;
        }
        return known;
    }
}
