package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A command that is asked for again is not started again. */
@OnEveryRuntime
@Timeout(300)
class KeyedCommandTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestSandbox box;
    private final String key = UUID.randomUUID().toString();
    private final String file = "/tmp/" + key;

    KeyedCommandTest(String runtime) {
        this.box = SharedDaemon.sandbox(runtime);
    }

    @AfterEach
    void letTheDaemonRun() throws IOException, InterruptedException {
        daemon.revive();
    }

    @Test
    void manyAtOnceStartOne() {
        Callable<String> start = () -> start(appending()).id();
        List<String> ids = AtOnce.all(Collections.nCopies(8, start));
        assertThat(ids).hasSize(8).containsOnly(ids.getFirst());
        box.await(box.command(ids.getFirst()));
        assertThat(start(appending()).id()).as("when it has ended too").isEqualTo(ids.getFirst());
        assertThat(box.output("cat " + file)).isEqualTo("once");
    }

    @Test
    void anotherRequestWithTheKeyIsRefused() {
        Command first = start(appending());
        refused(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> start(Run.of("true")));
        refused(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> run(appending()));
        refused(ErrorCode.INVALID_REQUEST, () -> post("/commands", Run.of("true").toStart(), "two words"));
        box.await(first);
        assertThat(box.output("cat " + file)).isEqualTo("once");
    }

    @Test
    void aRequestThatWasRefusedMayBeSentAgain() {
        Run missing = Run.of(file);
        refused(ErrorCode.PROGRAM_NOT_FOUND, () -> start(missing));
        box.output("printf '#!/bin/sh\\nexit 3\\n' > " + file + "; chmod +x " + file);
        Command started = start(missing);
        assertThat(box.await(started).exit()).extracting("code").isEqualTo(3);
        assertThat(start(missing).id()).isEqualTo(started.id());
    }

    @Test
    void oneThatACrashCutOffIsStartedOnce() throws IOException, InterruptedException {
        daemon.mortalAt("EXEC_STARTED");
        assertThatThrownBy(() -> start(appending())).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        box.await(start(appending()));
        assertThat(box.output("cat " + file)).isEqualTo("once");
        refused(ErrorCode.IDEMPOTENCY_KEY_REUSED, () -> start(Run.of("true")));
    }

    @Test
    void oneThatTheAgentNeverHeardOfIsNotTakenForAnother() throws IOException, InterruptedException {
        daemon.mortalAt("EXEC_NUMBERED");
        assertThatThrownBy(() -> start(appending())).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        List<String> others = Stream.generate(() -> box.start(Run.of("true")).id()).limit(4).toList();
        Command started = start(appending());
        assertThat(others).doesNotContain(started.id());
        box.await(started);
        assertThat(box.output("cat " + file)).isEqualTo("once");
    }

    @Test
    void aRunGoesOnWhenItsClientLeavesBeforeItRuns() throws IOException {
        Run noisy = Run.shell("head -c 1000000 /dev/zero | tr '\\0' x; echo once >> " + file);
        signal("STOP");
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), box.caller().port())) {
            String body = Json.write(noisy.toRun());
            client.getOutputStream()
                    .write(("POST " + box.path() + "/commands/run HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + box.caller().authorization()
                                    + "\r\nIdempotency-Key: " + key + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                                    + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            String launched = "SELECT command FROM command_key WHERE key = '" + key + "'";
            Eventually.get(() -> LedgerFile.numbers(daemon, launched), found -> !found.isEmpty());
        } finally {
            signal("CONT");
        }
        Eventually.get(() -> box.output("cat " + file + " || true"), "once"::equals);
        assertThat(run(noisy).exit().code()).isZero();
        assertThat(box.output("cat " + file)).isEqualTo("once");
    }

    @Test
    void aSandboxThatHoldsItsOwnStartUpHoldsNoOthersUp() throws IOException, InterruptedException {
        TestSandbox other = SharedDaemon.sandbox(box.now().runtime().equals("gvisor") ? "container" : "gvisor");
        Thread held = Thread.ofVirtual().unstarted(() -> start(appending()));
        signal("STOP");
        try {
            held.start();
            String launched = "SELECT command FROM command_key WHERE key = '" + key + "'";
            Eventually.get(() -> LedgerFile.numbers(daemon, launched), found -> !found.isEmpty());
            for (String its : List.of(key, key + "-2", key + "-3")) {
                Command started = daemon.caller()
                        .post(other.path() + "/commands", Run.of("true").toStart(), Map.of("Idempotency-Key", its))
                        .as(Command.class);
                assertThat(other.await(started).state()).isEqualTo("exited");
            }
            assertThat(held.isAlive()).as("the start in the sandbox that is held up").isTrue();
        } finally {
            signal("CONT");
        }
        held.join();
        assertThat(box.await(start(appending())).state()).isEqualTo("exited");
        assertThat(box.output("cat " + file)).isEqualTo("once");
    }

    /** Stops the whole of the sandbox as an overloaded machine would, or lets it go on. */
    private void signal(String name) throws IOException {
        MountNamespace.output(new ProcessBuilder("kill", "-" + name, String.valueOf(box.info().pid())));
    }

    @Test
    void aRunIsRepeatedWithoutRunning() throws IOException, InterruptedException {
        Run slow = Run.shell("echo begun; while [ ! -e " + file + ".go ]; do sleep 0.1; done; echo once >> " + file + "; echo done; exit 5");
        Thread first = Thread.ofVirtual().start(() -> {
            try {
                run(slow);
            } catch (UncheckedIOException theDaemonDied) {
                return;
            }
        });
        Eventually.get(() -> box.commands().stream().anyMatch(command -> command.argv().getLast().contains(file)), Boolean.TRUE::equals);
        daemon.kill();
        daemon.start();
        first.join();
        box.output("touch " + file + ".go");
        CommandResult result = run(slow);
        assertThat(result.exit().code()).isEqualTo(5);
        assertThat(result.stdout()).isEqualTo("begun\ndone\n");
        assertThat(run(slow)).isEqualTo(result);
        assertThat(box.output("cat " + file)).isEqualTo("once");
        refused(ErrorCode.INVALID_REQUEST, () -> run(Run.of("cat").stdin("x")));
    }

    private Run appending() {
        return Run.shell("echo once >> " + file);
    }

    private Command start(Run command) {
        return post("/commands", command.toStart(), key).as(Command.class);
    }

    private CommandResult run(Run command) {
        return post("/commands/run", command.toRun(), key).as(CommandResult.class);
    }

    private Answer post(String path, Object body, String with) {
        return daemon.caller().post(box.path() + path, body, Map.of("Idempotency-Key", with));
    }
}
