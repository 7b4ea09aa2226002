package dev.sandglass.engine.guest;

import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.engine.runtime.GuestSettings;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The real agent as PID 1 of a fresh pid namespace, reached over two FIFOs, as a runtime starts it but without a sandbox around it. */
final class RealAgent implements AutoCloseable {
    private static final Path BINARY = Path.of("../guest/target/sandglass-agent").toAbsolutePath().normalize();

    private final Path directory;
    private final Process process;

    RealAgent(Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        if (!Files.isExecutable(BINARY)) {
            throw new IllegalStateException(BINARY + " is missing: build the module guest first");
        }
        run("mkfifo", "-m", "600", directory.resolve("in").toString(), directory.resolve("out").toString());
        String start = "exec unshare --pid --fork --kill-child --mount-proc \"$0\" 0<>in 1<>out 2>>log";
        this.process = new ProcessBuilder("sh", "-c", start, BINARY.toString()).directory(directory.toFile()).start();
    }

    GuestChannel channel() throws IOException {
        return new GuestChannel(fifo("out"), fifo("in"));
    }

    private FileChannel fifo(String name) throws IOException {
        return FileChannel.open(directory.resolve(name), StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    GuestLink link(GuestChannel channel) throws InterruptedException {
        GuestSettings all = new GuestSettings(0x1ffffffffffL & ~(1L << 24), false, 0, 0, false, false);
        Greeting greeting = new Greeting(all, "test", Map.of("FROM_SETTINGS", "yes"), () -> 0);
        return GuestLink.open("test", channel, greeting, Duration.ofSeconds(30));
    }

    /** A command that somebody will attach to. */
    static CommandStart command(String... argv) {
        return command(true, argv);
    }

    /** A command that nobody waits for. */
    static CommandStart leftAlone(String... argv) {
        return command(false, argv);
    }

    private static CommandStart command(boolean hold, String... argv) {
        CommandFacts facts = new CommandFacts(List.of(argv), Optional.empty(), Optional.empty(), false);
        return new CommandStart(facts, Map.of(), Optional.empty(), true, hold, Optional.empty());
    }

    private static void run(String... command) throws IOException, InterruptedException {
        if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
            throw new IOException(String.join(" ", command));
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().orTimeout(30, TimeUnit.SECONDS).join();
    }
}
