package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandglass.wire.tar.TarHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a signal to the program, in a process of its own, does to the command that it waits for. */
@Timeout(120)
final class SignalsTest extends VerbFixture {
    private static final String COMMAND =
            "{\"id\":\"cmd-7\",\"argv\":[\"x\"],\"pty\":false,\"state\":\"running\",\"pid\":5,\"started_at\":\"2026-01-01T00:00:00Z\"}";

    @ParameterizedTest
    @CsvSource({"INT,130,json", "TERM,143,json", "HUP,129,yaml", "INT,130,table"})
    void theCommandGetsTheSignalAndItsEndIsTold(String signal, int code, String format) throws IOException, InterruptedException {
        CountDownLatch attached = new CountDownLatch(1);
        CountDownLatch signalled = new CountDownLatch(1);
        daemon.on("POST /v1/sandboxes/box/commands", 201, COMMAND)
                .on("POST /v1/sandboxes/box/commands/cmd-7/signal", 204, "")
                .onAttach("GET /v1/sandboxes/box/commands/cmd-7/attach?offset=", socket -> {
                    socket.send(1, "begun\n");
                    attached.countDown();
                    awaited(signalled);
                    socket.exit(code, "");
                });
        Process program = program("exec", "-n", "-o", format, "box", "--", "sleep", "102");
        try {
            attached.await();
            send(signal, program);
            awaitAsked(program, isSignal(signal));
            signalled.countDown();
            String printed = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(program.waitFor()).isEqualTo(code);
            assertThat(daemon.asked).anyMatch(isSignal(signal));
            assertThat(printed).contains("begun");
        } finally {
            program.destroyForcibly();
        }
    }

    /** A terminal is hung up, and what the command makes of that is not how this process ended. */
    @ParameterizedTest
    @CsvSource({"TERM,143", "HUP,129"})
    void oneThatEndsATerminalIsTheEndOfTheProgram(String signal, int code) throws IOException, InterruptedException {
        CountDownLatch attached = new CountDownLatch(1);
        daemon.on("POST /v1/sandboxes/box/commands", 201, COMMAND.replace("\"pty\":false", "\"pty\":true"))
                .on("POST /v1/sandboxes/box/commands/cmd-7/signal", 204, "")
                .onAttach("GET /v1/sandboxes/box/commands/cmd-7/attach?offset=", socket -> {
                    socket.send(1, "begun\n");
                    attached.countDown();
                    awaitSignal(socket, "HUP", 99);
                });
        Process program = program("exec", "-t", "-n", "box", "--", "sleep", "106");
        try {
            attached.await();
            assertThat(program.getInputStream().read()).isEqualTo('b'); // what comes now is for the command
            send(signal, program);
            assertThat(program.waitFor()).isEqualTo(code);
            assertThat(daemon.asked).anyMatch(isSignal("HUP"));
        } finally {
            program.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource({"INT,130,table", "TERM,143,table", "HUP,129,json"})
    void oneThatComesBeforeTheStartIsAnsweredReachesTheCommand(String signal, int code, String format) throws IOException, InterruptedException {
        AtomicBoolean sent = new AtomicBoolean();
        daemon.on("POST /v1/sandboxes/box/commands", 201, COMMAND)
                .on("POST /v1/sandboxes/box/commands/cmd-7/signal", 204, "")
                .onAttach("GET /v1/sandboxes/box/commands/cmd-7/attach?offset=", socket -> awaitSignal(socket, signal, code))
                .hold(sent::get);
        Process program = program("exec", "-n", "-o", format, "box", "--", "sleep", "103");
        try {
            awaitAsked(program, request -> request.startsWith("POST /v1/sandboxes/box/commands "));
            send(signal, program);
            sent.set(true);
            assertThat(program.waitFor()).isEqualTo(code);
            assertThat(daemon.asked).anyMatch(isSignal(signal));
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void oneThatComesBeforeARunHasBegunReachesItsCommandIfItStays() throws IOException, InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch sent = new CountDownLatch(1);
        daemon.on("POST /v1/sandboxes/sbx-aaaaaaaaaaaa/commands/cmd-7/signal", 204, "").onAttach("GET /v1/run", socket -> {
            socket.receive();
            asked.countDown();
            awaited(sent);
            socket.send(4, "{\"started\":{\"sandbox\":" + VerbsTest.SANDBOX + ",\"command\":" + COMMAND + "}}");
            awaitSignal(socket, "TERM", 143);
        });
        Process program = program("run", "-n", "--name", "mine", "sleep 104");
        try {
            asked.await();
            send("TERM", program);
            sent.countDown();
            assertThat(program.waitFor()).isEqualTo(143);
            assertThat(daemon.asked).anyMatch(isSignal("TERM"));
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void oneThatComesBeforeARunWithoutANameHasBegunEndsTheProgram() throws IOException, InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        daemon.onAttach("GET /v1/run", socket -> {
            socket.receive();
            asked.countDown();
            try {
                socket.receive();
            } catch (IOException gone) {
                left.countDown(); // the daemon takes its sandbox away
            }
        });
        Process program = program("run", "-n", "sleep 105");
        try {
            asked.await();
            send("INT", program);
            assertThat(program.waitFor()).isEqualTo(130);
            left.await();
        } finally {
            program.destroyForcibly();
        }
    }

    /** What was there before is there still, and what came whole; nothing else is. */
    @ParameterizedTest
    @CsvSource({"file", "directory"})
    void aCopyThatIsStoppedLeavesNothingThatIsNotWhole(String kind) throws IOException, InterruptedException {
        Path here = Files.createDirectory(directory.resolve("here"));
        Path before = Files.writeString(here.resolve("half"), "before");
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        tar.writeBytes(TarHeader.write('0', "whole", "", 0644, 0, 0));
        tar.writeBytes(TarHeader.write('0', "half", "", 0644, 1 << 20, 0));
        tar.writeBytes(new byte[1 << 19]);
        daemon.on("GET /v1/sandboxes/box/files/stat?", 200,
                        "{\"name\":\"half\",\"path\":\"/half\",\"kind\":\"" + kind + "\",\"mode\":\"0644\",\"uid\":0,\"gid\":0,\"size\":1048576,\"modified_at\":\"2026-01-01T00:00:00Z\"}")
                .onStall("GET /v1/sandboxes/box/files?", new byte[1 << 19])
                .onStall("GET /v1/sandboxes/box/archive?", tar.toByteArray());
        Process program = program("cp", kind.equals("file") ? "box:/half" : "box:/tree/.", here.toString());
        try {
            await().forever().until(() -> !program.isAlive() || names(here).stream().anyMatch(name -> name.startsWith(".")));
            send("INT", program);
            assertThat(program.waitFor()).isEqualTo(130);
            assertThat(names(here)).containsExactlyElementsOf(kind.equals("file") ? List.of("half") : List.of("half", "whole"));
            assertThat(before).hasContent("before");
        } finally {
            program.destroyForcibly();
        }
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    private void awaitSignal(TestSocket socket, String signal, int code) throws IOException {
        while (daemon.asked.stream().noneMatch(isSignal(signal))) {
            LockSupport.parkNanos(5_000_000);
        }
        socket.exit(code, "");
    }

    private void awaitAsked(Process program, Predicate<String> request) {
        await().forever().until(() -> !program.isAlive() || daemon.asked.stream().anyMatch(request));
    }

    private static Predicate<String> isSignal(String signal) {
        return request -> request.endsWith("/signal {\"signal\":\"" + signal + "\"}");
    }

    private static void send(String signal, Process program) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(program.pid())).start().waitFor()).isZero();
    }

    @Test
    void theProgramIsWholeInAProcessOfItsOwn() throws IOException, InterruptedException {
        assertThat(program("version").waitFor()).isZero();
    }

    /** Whoever runs the tests may ignore signals, which a program inherits. */
    private Process program(String... args) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("env", "--default-signal=INT,TERM,HUP", Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), "dev.sandglass.cli.Main");
        builder.command().addAll(List.of(args));
        builder.environment().put("SANDGLASS_URL", "unix://" + daemon.socket);
        builder.environment().put("SANDGLASS_API_KEY", "token");
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static void awaited(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            throw new IOException(stopped);
        }
    }
}
