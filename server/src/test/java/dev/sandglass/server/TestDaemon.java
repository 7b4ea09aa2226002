package dev.sandglass.server;

import dev.sandglass.wire.Health;
import dev.sandglass.wire.Json;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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
 * A real daemon in a process of its own, inside a mount namespace that outlives it, on the data directory that the tests of this
 * checkout share. It can be killed and started again as often as a test likes.
 */
final class TestDaemon implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(2);

    private final Path data;
    private final Path run;
    private final int port;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, String> environment = new HashMap<>();
    private @Nullable Process process;

    TestDaemon(Path data, Path run) throws IOException, InterruptedException {
        this.data = data;
        this.run = run;
        try (ServerSocket free = new ServerSocket(0)) {
            this.port = free.getLocalPort();
        }
        MountNamespace.pin(run);
    }

    /** Sets a variable for the next start. */
    TestDaemon with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    TestDaemon without(String name) {
        environment.remove(name);
        return this;
    }

    /** Starts it without waiting; {@link #awaitHealth} waits. */
    TestDaemon launch() throws IOException {
        List<String> command = new ArrayList<>(MountNamespace.enter(run));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Daemon.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        builder.environment().put("SANDGLASS_DATA_DIR", data.toString());
        builder.environment().put("SANDGLASS_RUN_DIR", run.toString());
        builder.environment().put("SANDGLASS_LISTEN", "127.0.0.1:" + port);
        builder.environment().put("SANDGLASS_AGENT", Path.of("../guest/target/sandglass-agent").toAbsolutePath().normalize().toString());
        builder.environment().putAll(environment);
        process = builder.start();
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
                HttpResponse<byte[]> answer = send(request("/v1/health").GET());
                if (answer.statusCode() == 200 && Json.read(Health.class, answer.body()).status().equals("ok")) {
                    return;
                }
            } catch (IOException notYet) {
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
        return running().isAlive();
    }

    HttpRequest.Builder request(String path) throws IOException {
        String token = Files.exists(data.resolve("token")) ? Files.readString(data.resolve("token")).strip() : "none";
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofMinutes(2))
                .header("Authorization", "Bearer " + token);
    }

    HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    HttpClient http() {
        return http;
    }

    int port() {
        return port;
    }

    Path data() {
        return data;
    }

    Path run() {
        return run;
    }

    Path log() {
        return run.resolve("daemon.log");
    }

    String tail() {
        try {
            List<String> lines = Files.readAllLines(log());
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
        } catch (IOException problem) {
            return problem.toString();
        }
    }

    private Process running() {
        return Objects.requireNonNull(process, "not started");
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
}
