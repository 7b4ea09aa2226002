package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** exec and run, joined to a command over a real socket. */
@Timeout(60)
final class CommandVerbsTest {
    private static final String COMMAND =
            "{\"id\":\"cmd-7\",\"argv\":[\"x\"],\"pty\":false,\"state\":\"running\",\"pid\":5,\"started_at\":\"2026-01-01T00:00:00Z\"}";
    private static final String STARTED = "{\"started\":{\"sandbox\":" + VerbsTest.SANDBOX + ",\"command\":" + COMMAND + "}}";
    private static final String ATTACH = "GET /v1/sandboxes/box/commands/cmd-7/attach?offset=";

    @TempDir
    Path directory;

    private TestDaemon daemon;
    private TestConsole console;

    @BeforeEach
    void start() throws IOException {
        daemon = new TestDaemon(directory).on("POST /v1/sandboxes/box/commands", 201, COMMAND);
        console = new TestConsole(daemon);
    }

    @AfterEach
    void stop() throws IOException {
        daemon.close();
    }

    @Test
    void outputAndExitCodeAreThoseOfTheCommand() {
        daemon.onAttach(ATTACH, socket -> {
            socket.send(1, "out");
            socket.send(2, "err");
            socket.exit(42, "");
        });
        assertThat(console.run("exec", "box", "ls", "-l")).isEqualTo(42);
        assertThat(console.out).isEqualTo("out");
        assertThat(console.err).isEqualTo("err");
        assertThat(daemon.asked.get(0)).endsWith("{\"argv\":[\"ls\",\"-l\"],\"stdin\":true,\"hold\":true}");
    }

    @Test
    void oneWordIsALineOfShellUnlessMarked() {
        daemon.onAttach(ATTACH, socket -> socket.exit(0, ""));
        console.run("exec", "-u", "user", "-w", "/tmp", "--timeout", "2s", "-n", "box", "ls | wc");
        assertThat(daemon.asked.get(0)).contains("-lc", ",\"ls | wc\"]", "\"cwd\":\"/tmp\"", "\"user\":\"user\"", "\"timeout_ms\":2000", "\"stdin\":false");
        console.run("exec", "box", "--", "ls");
        assertThat(daemon.asked.get(2)).contains("{\"argv\":[\"ls\"]");
    }

    @Test
    void standardInputGoesToTheCommandWithItsEnd() {
        StringBuilder received = new StringBuilder();
        daemon.onAttach(ATTACH, socket -> {
            received.append(socket.receive()).append(' ').append(socket.receive());
            socket.exit(0, "");
        });
        assertThat(console.input("hello").run("exec", "box", "cat")).isZero();
        assertThat(received).hasToString("0hello 3{\"end\":true}");
    }

    @Test
    void endingsThatPuzzleAreExplained() {
        daemon.onAttach(ATTACH, socket -> socket.exit(137, ",\"reason\":\"timeout\""));
        assertThat(console.run("exec", "box", "x", "y")).isEqualTo(124);
        assertThat(console.err).contains("time limit");
        daemon.onAttach(ATTACH, socket -> socket.exit(137, ",\"reason\":\"oom\",\"message\":\"out of memory: 64 MB\""));
        assertThat(console.run("exec", "box", "x", "y")).isEqualTo(137);
        assertThat(console.err).isEqualTo("error: out of memory: 64 MB\n");
    }

    @Test
    void whatSandglassGetsWrongIs125AndWhatAShellKnowsIs126And127() {
        assertThat(console.run("exec", "none", "x")).isEqualTo(125);
        assertThat(console.run("exec")).isEqualTo(125);
        assertThat(console.run("exec", "box", "--timeout", "never", "x")).isEqualTo(125);
        refuse("program_not_found", "x: No such file or directory");
        assertThat(console.run("exec", "box", "x", "y")).isEqualTo(127);
        refuse("command_refused", "x: Permission denied");
        assertThat(console.run("exec", "box", "x", "y")).isEqualTo(126);
        refuse("command_refused", "working directory /x: No such file or directory");
        assertThat(console.run("exec", "box", "x", "y")).isEqualTo(126);
        assertThat(console.err).startsWith("error: ");
    }

    @Test
    void aBrokenConnectionIsMadeAgainFromTheLastByte() {
        AtomicInteger round = new AtomicInteger();
        daemon.onAttach(ATTACH + "0", socket -> socket.send(1, "first "));
        daemon.onAttach(ATTACH + "6", socket -> {
            if (round.getAndIncrement() < 2) {
                throw new EOFException();
            }
            socket.send(1, "second");
            socket.exit(3, "");
        });
        assertThat(console.run("exec", "-n", "box", "x", "y")).isEqualTo(3);
        assertThat(console.out).isEqualTo("first second");
    }

    @Test
    void whatIsMissingIsSaidAndCountedWhenTheConnectionIsMadeAgain() {
        daemon.onAttach(ATTACH + "0", socket -> {
            socket.send(4, "{\"dropped\":1258291}");
            socket.send(1, "kept ");
        });
        daemon.onAttach(ATTACH + "1258296", socket -> {
            socket.send(1, "rest");
            socket.exit(0, "");
        });
        assertThat(console.run("exec", "-n", "box", "x", "y")).isZero();
        assertThat(console.out).isEqualTo("kept rest");
        assertThat(console.err).isEqualTo("... 1.2 MB of output was not kept ...\n");
    }

    @Test
    void aDetachedCommandIsNamed() {
        assertThat(console.run("exec", "-d", "box", "sleep", "9")).isZero();
        assertThat(console.out).isEqualTo("cmd-7\n");
        assertThat(daemon.asked).hasSize(1).first().asString().endsWith("\"stdin\":false,\"hold\":false}");
        assertThat(console.run("exec", "-d", "-i", "box", "cat")).isZero();
        assertThat(daemon.asked.get(1)).as("its input is open for whoever attaches").endsWith("\"stdin\":true,\"hold\":false}");
    }

    @Test
    void jsonGathersTheOutput() {
        daemon.onAttach(ATTACH, socket -> {
            socket.send(1, "a\n");
            socket.exit(5, "");
        });
        assertThat(console.run("exec", "-o", "json", "box", "x", "y")).isEqualTo(5);
        assertThat(console.out).startsWith("{\"exit\":{\"code\":5").contains("\"stdout\":\"a\\n\"");
    }

    @Test
    void runIsOneConversation() {
        List<String> received = new ArrayList<>();
        daemon.onAttach("GET /v1/run", socket -> {
            received.add(socket.receive());
            socket.send(4, STARTED);
            socket.send(1, "out");
            received.add(socket.receive());
            received.add(socket.receive());
            socket.exit(9, "");
        });
        assertThat(console.input("typed").run("run", "--memory", "1G", "-e", "A=b", "--", "cat")).isEqualTo(9);
        assertThat(console.out).isEqualTo("out");
        assertThat(received.get(0)).startsWith("5{\"sandbox\":{\"memory_mb\":1024,\"env\":{\"A\":\"b\"}").contains("\"command\":{\"argv\":[\"cat\"],\"stdin\":true,");
        assertThat(received.subList(1, 3)).containsExactly("0typed", "3{\"end\":true}");
        assertThat(daemon.asked).hasSize(1);
        assertThat(console.run("run", "--name", "mine", "--ttl", "60", "--hard-ttl", "2h", "-o", "json", "true")).isEqualTo(9);
        assertThat(console.out).startsWith("{\"exit\":{\"code\":9").contains("\"stdout\":\"out\"");
        assertThat(received.get(3)).contains("\"name\":\"mine\"", "\"ttl\":60", "\"hard_ttl\":7200");
    }

    @Test
    void runSaysWhyThereIsNoCommandAndWhyItsSandboxIsStillThere() {
        answerRun("{\"error\":{\"code\":\"program_not_found\",\"message\":\"x: No such file\",\"hint\":\"h\"}}");
        assertThat(console.run("run", "--", "x")).isEqualTo(127);
        assertThat(console.err).contains("x: No such file");
        answerRun("{\"error\":{\"code\":\"limit_reached\",\"message\":\"m\",\"hint\":\"h\"}}");
        assertThat(console.run("run", "true")).isEqualTo(125);
        answerRun("{\"error\":{\"code\":\"invalid_request\",\"message\":\"sandbox.cpus: 0.01 (expected: >= 0.05)\",\"hint\":\"See /openapi.json for what the operation takes.\"}}");
        assertThat(console.run("run", "--cpus", "0.01", "true")).isEqualTo(125);
        assertThat(console.err).isEqualTo("error: --cpus: 0.01 (expected: >= 0.05)\nhint: Correct it; `sandglass run --help` tells what there is.\n");
        answerRun(STARTED, "{\"exit\":{\"code\":3,\"user_ms\":0,\"system_ms\":0,\"max_rss_kb\":0},\"error\":{\"code\":\"internal\",\"message\":\"it sticks\",\"hint\":\"\"}}");
        assertThat(console.run("run", "-n", "true")).isEqualTo(3);
        assertThat(console.err).endsWith("warning: the sandbox could not be removed: it sticks\n");
    }

    @Test
    void whatRunBeganIsJoinedAgainOnlyIfItHasAName() {
        answerRun(STARTED);
        assertThat(console.run("run", "-n", "true")).isEqualTo(125);
        assertThat(console.err).contains("The connection to the daemon broke");
        assertThat(daemon.asked).hasSize(1);
        daemon.onAttach("GET /v1/sandboxes/sbx-aaaaaaaaaaaa/commands/cmd-7/attach?offset=0", socket -> socket.exit(6, ""));
        assertThat(console.run("run", "-n", "--name", "mine", "true")).isEqualTo(6);
        answerRun(STARTED, "{\"error\":{\"code\":\"shutting_down\",\"message\":\"The daemon is stopping.\",\"hint\":\"Try again.\"}}");
        assertThat(console.run("run", "-n", "true")).isEqualTo(125);
        assertThat(console.err).contains("The daemon is stopping.", "go with the connection");
        assertThat(console.run("run", "-n", "--name", "mine", "true")).isEqualTo(6);
    }

    private void answerRun(String... events) {
        daemon.onAttach("GET /v1/run", socket -> {
            socket.receive();
            for (String event : events) {
                socket.send(4, event);
            }
        });
    }

    private void refuse(String code, String why) {
        String problem = "{\"code\":\"" + code + "\",\"message\":\"" + why + "\",\"hint\":\"h\"}";
        daemon.on("POST /v1/sandboxes/box/commands", 422, problem);
    }
}
