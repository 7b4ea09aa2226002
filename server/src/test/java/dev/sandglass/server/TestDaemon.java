package dev.sandglass.server;

import dev.sandglass.network.egress.Outside;
import dev.sandglass.wire.Health;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A real daemon in a process of its own, inside a mount namespace that outlives it. It can be killed and started again as often
 * as a test likes.
 */
final class TestDaemon implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(2);
    /** The setting of the network of a sandbox that does not say. */
    static final String NETWORK = "SANDGLASS_NETWORK";

    private final Path data;
    private final Path run;
    private final int port;
    /** Most tests are about something else than networks; {@link DefaultNetwork} is for the others. */
    private final Map<String, String> environment = new HashMap<>(Map.of(NETWORK, "none"));
    private final Ambush ambush;
    private final Caller caller;
    private @Nullable Process process;

    TestDaemon(Path data, Path run) throws IOException {
        this.data = data;
        this.run = run;
        this.ambush = new Ambush(run);
        try (ServerSocket free = new ServerSocket(0)) {
            this.port = free.getLocalPort();
        }
        HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        this.caller = new Caller(http, port, this::token);
        MountNamespace.pin(run);
        endForgotten();
        disarmed();
    }

    /** Ends a daemon that a test run left here when it was cut off. */
    private void endForgotten() throws IOException {
        Path file = run.resolve("daemon.pid");
        if (Files.exists(file)) {
            ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                    .filter(old -> old.info().arguments().map(List::of).orElse(List.of()).contains(Daemon.class.getName()))
                    .ifPresent(old -> {
                        old.destroyForcibly();
                        old.onExit().join();
                    });
        }
    }

    /** Sets a variable for the next start. */
    TestDaemon with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Whether a sandbox that does not say gets a network, by the standard. */
    boolean givesNetworks() {
        return !environment.containsKey(NETWORK);
    }

    TestDaemon without(String name) {
        environment.remove(name);
        return this;
    }

    /** A daemon whose sandboxes find that world outside when it is started. */
    TestDaemon within(Outside world) {
        return with("SANDGLASS_NETWORK_NAMESPACE", world.namespace().orElseThrow().toString())
                .with("SANDGLASS_NETWORK_RESOLVERS", world.resolvers().getFirst().getAddress().getHostAddress())
                .with("SANDGLASS_NETWORK_TRUST", world.trusted().orElseThrow().toString());
    }

    /** The next one that is started is in the host's own world. */
    TestDaemon outOfIt() {
        return without("SANDGLASS_NETWORK_NAMESPACE").without("SANDGLASS_NETWORK_RESOLVERS").without("SANDGLASS_NETWORK_TRUST");
    }

    /** It dies at that step, this one if it runs or the next. */
    TestDaemon mortalAt(String failpoint) {
        return mortalAt(failpoint, 0);
    }

    /** @param after how often it comes there and goes on first */
    TestDaemon mortalAt(String failpoint, int after) {
        ambush.kill(failpoint, after);
        return this;
    }

    /** It goes on, but does that step once as if it had failed. */
    TestDaemon failingAt(String failpoint) {
        return failingAt(failpoint, 0);
    }

    TestDaemon failingAt(String failpoint, int after) {
        ambush.fail(failpoint, after);
        return this;
    }

    /** It stands still at that step, once, until {@link #atTheStep} has done something. */
    TestDaemon holdingAt(String failpoint) {
        return holdingAt(failpoint, 1);
    }

    /** So many stand still at that step. */
    TestDaemon holdingAt(String failpoint, int times) {
        ambush.hold(failpoint, times);
        return this;
    }

    /** Waits until it stands still at its step, does something, and lets it go on. */
    void atTheStep(Runnable something) throws IOException {
        ambush.meanwhile(something);
    }

    /** From now on it is like any other. */
    TestDaemon disarmed() {
        ambush.remove();
        return this;
    }

    /** After a test that let it die or fail: it runs, and will not die again. */
    void revive() throws IOException, InterruptedException {
        disarmed();
        if (!isAlive()) {
            start();
        }
    }

    /** Makes the base image as {@code sandglass setup} does, unless it is there. */
    TestDaemon buildImage() throws IOException {
        MountNamespace.output(java(ImageBuild.class));
        return this;
    }

    /** Starts it without waiting; {@link #awaitHealth} waits. */
    TestDaemon launch() throws IOException {
        process = java(Daemon.class)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        return this;
    }

    TestDaemon start() throws IOException, InterruptedException {
        launch();
        awaitHealth();
        return this;
    }

    void awaitHealth() throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(START);
        while (true) {
            try {
                if (caller.get("/v1/health").as(Health.class).status().equals("ok")) {
                    return;
                }
            } catch (UncheckedIOException notYet) {
                if (running().waitFor(50, TimeUnit.MILLISECONDS)) {
                    throw new IOException("the daemon ended with " + running().exitValue() + ":\n" + tail(), notYet);
                }
            }
            if (Instant.now().isAfter(deadline)) {
                throw new IOException("the daemon does not answer:\n" + tail());
            }
        }
    }

    /** As {@code kill -9} does it: nothing is flushed, nothing cleaned up. */
    void kill() throws InterruptedException {
        running().destroyForcibly().waitFor();
    }

    /** Waits until it ends by itself, as at a failpoint. */
    int awaitEnd() throws InterruptedException {
        if (!running().waitFor(120, TimeUnit.SECONDS)) {
            throw new AssertionError("the daemon still runs:\n" + tail());
        }
        return running().exitValue();
    }

    boolean isAlive() {
        return process != null && process.isAlive();
    }

    Api api() {
        return new Api(caller);
    }

    Caller caller() {
        return caller;
    }

    long pid() {
        return running().pid();
    }

    Path data() {
        return data;
    }

    Path run() {
        return run;
    }

    Path log() {
        return Path.of("target", run.getFileName() + ".log").toAbsolutePath();
    }

    String tail() {
        try {
            List<String> lines = Files.readAllLines(log());
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
        } catch (IOException problem) {
            return problem.toString();
        }
    }

    /** Ends the daemon as `down` does, and waits. */
    void stop() throws InterruptedException {
        running().destroy();
        if (!running().waitFor(60, TimeUnit.SECONDS)) {
            running().destroyForcibly();
        }
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
        MountNamespace.unpin(run);
    }

    private ProcessBuilder java(Class<?> program) {
        List<String> command = new ArrayList<>(MountNamespace.enter(run));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dlogback.configurationFile=logback.xml",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        ProcessBuilder builder = new ProcessBuilder(command);
        Path agent = Path.of("../guest/target/sandglass-agent").toAbsolutePath().normalize();
        builder.environment().put("SANDGLASS_DATA_DIR", data.toString());
        builder.environment().put("SANDGLASS_RUN_DIR", run.toString());
        builder.environment().put("SANDGLASS_LISTEN", "127.0.0.1:" + port);
        builder.environment().put("SANDGLASS_ROUTE_LISTEN", "127.0.0.1:0");
        builder.environment().put("SANDGLASS_AGENT", agent.toString());
        builder.environment().put("SANDGLASS_POOL", "btrfs-loop");
        builder.environment().put("SANDGLASS_POOL_SIZE_MB", "16384");
        builder.environment().put("SANDGLASS_FAILPOINT", ambush.file().toString());
        builder.environment().put("SANDGLASS_KEEP_SPARES", "false"); // most tests count what is there
        builder.environment().putAll(environment);
        return builder;
    }

    private String token() {
        try {
            Path file = data.resolve("token");
            return Files.exists(file) ? Files.readString(file, StandardCharsets.US_ASCII).strip() : "none";
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private Process running() {
        return Objects.requireNonNull(process, "not started");
    }
}
