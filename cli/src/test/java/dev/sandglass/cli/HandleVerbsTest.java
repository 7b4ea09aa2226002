package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The verbs on commands that run already, on files, and what completes their words. */
@Timeout(60)
final class HandleVerbsTest {
    private static final String COMMAND = "{\"id\":\"cmd-%d\",\"argv\":[\"sleep\",\"9\\u001b\"],\"pty\":%b,\"state\":\"%s\",\"pid\":12,"
            + "\"started_at\":\"2026-01-01T00:00:00Z\"%s}";
    private static final String EXIT = ",\"exit\":{\"code\":3,\"user_ms\":0,\"system_ms\":0,\"max_rss_kb\":0}";
    private static final String NOT_FOUND = "{\"code\":\"sandbox_not_found\",\"message\":\"m\",\"hint\":\"h\"}";
    private static final String ENTRY = "{\"name\":\"%s\",\"path\":\"%s\",\"kind\":\"%s\",\"mode\":\"4755\",\"uid\":0,\"gid\":7,\"owner\":\"root\",\"size\":5,"
            + "\"modified_at\":\"2026-01-01T00:00:00.5Z\"}";

    @TempDir
    Path directory;

    private TestDaemon daemon;
    private TestConsole console;

    @BeforeEach
    void start() throws IOException {
        String commands = COMMAND.formatted(1, false, "running", "") + "," + COMMAND.formatted(2, false, "exited", EXIT);
        daemon = new TestDaemon(directory)
                .on("GET /v1/sandboxes/box/commands", 200, "{\"commands\":[" + commands + "]}")
                .on("GET /v1/sandboxes/sbx-aaaaaaaaaaaa/commands", 200, "{\"commands\":[" + commands + "]}")
                .on("GET /v1/sandboxes/box/commands/", 404, NOT_FOUND)
                .on("GET /v1/sandboxes/box/commands/cmd-1", 200, COMMAND.formatted(1, false, "running", ""))
                .on("GET /v1/sandboxes/box", 200, VerbsTest.SANDBOX)
                .on("GET /v1/sandboxes/", 404, NOT_FOUND)
                .on("GET /v1/sandboxes", 200, "{\"sandboxes\":[" + VerbsTest.SANDBOX.replace("bra\\u001bve", "box") + "]}");
        console = new TestConsole(daemon);
    }

    @AfterEach
    void stop() throws IOException {
        daemon.close();
    }

    @Test
    void whatIsAheadOfTheNewestEventIsSaidSo() {
        daemon.on("GET /v1/events?", 200, "{\"events\":[],\"next\":12,\"gap\":true}");
        assertThat(console.run("events", "--after", "999")).isZero();
        assertThat(console.err).isEqualTo("warning: the newest event is 12, so there is none after 999\n");
        assertThat(console.run("events", "--after", "3")).isZero();
        assertThat(console.err).contains("warning: some events are no longer kept\n");
    }

    @Test
    void psListsWhatRunsAndOnRequestWhatEnded() {
        assertThat(console.terminals(1).run("ps")).isZero();
        assertThat(console.out).containsPattern("box +cmd-1 +running +12 +root .* sleep 9\\\\x1b").doesNotContain("cmd-2");
        assertThat(console.run("ps", "-a", "box")).isZero();
        assertThat(console.out).containsPattern("cmd-2 +exited 3 ");
        assertThat(console.terminals().run("ps")).isZero();
        assertThat(console.out).startsWith("[{\"sandbox\":\"box\",\"id\":\"cmd-1\",");
        assertThat(console.run("ps", "-q")).isZero();
        assertThat(console.out).isEqualTo("cmd-1\n");
        assertThat(console.run("ps", "none")).isEqualTo(3);
    }

    @Test
    void psShowsTheLineThatWasTypedAndFitsIntoTheTerminal() {
        String line = Json.write(new Command("cmd-3", Shell.line("make test | tee\nlog"), null, null, false, "running", 12, Instant.EPOCH, null));
        String shell = Json.write(new Command("cmd-4", Shell.interactive(), null, null, true, "running", 13, Instant.EPOCH, null));
        String wide = Json.write(new Command("cmd-5", List.of("echo", "x".repeat(200)), null, null, false, "running", 14, Instant.EPOCH, null));
        daemon.on("GET /v1/sandboxes/sbx-aaaaaaaaaaaa/commands", 200, "{\"commands\":[" + line + "," + shell + "," + wide + "]}");
        assertThat(console.run("ps", "box", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("cmd-3 .* make test \\| tee\\\\x0alog\n").containsPattern("cmd-4 .* \\(a login shell\\)\n").contains("x".repeat(90));
        assertThat(console.terminals(1).run("ps", "box")).isZero();
        assertThat(console.out.lines().map(row -> row.replaceAll("\u001b\\[\\d+m", "").length())).allMatch(width -> width <= 80).contains(80);
        assertThat(console.out).containsPattern("cmd-5 .*x…\n");
    }

    @Test
    void killSignalsByHandle() {
        daemon.on("POST /v1/sandboxes/box/commands/cmd-1/signal", 204, "");
        assertThat(console.run("kill", "box", "1", "cmd-9", "-s", "INT")).isEqualTo(3);
        assertThat(console.out).isEqualTo("{\"signalled\":[\"cmd-1\"]}\n");
        assertThat(daemon.asked.get(0)).endsWith("/cmd-1/signal {\"signal\":\"INT\"}");
        assertThat(console.run("kill", "box", "--all")).isZero();
        assertThat(daemon.asked).last().asString().endsWith("/cmd-1/signal {\"signal\":\"TERM\"}");
        assertThat(console.run("kill", "box")).isEqualTo(2);
        daemon.on("POST /v1/sandboxes/box/commands/cmd-2/signal", 409, "{\"code\":\"command_ended\",\"message\":\"over\",\"hint\":\"\"}")
                .on("POST /v1/sandboxes/box/commands/cmd-1/signal", 409, "{\"code\":\"command_ended\",\"message\":\"over\",\"hint\":\"\"}");
        assertThat(console.run("kill", "box", "2")).isEqualTo(4);
        assertThat(console.out).isEqualTo("{\"signalled\":[]}\n");
        assertThat(console.err).contains("command_ended", "over");
        assertThat(console.run("kill", "box", "--all")).as("one that ends meanwhile").isZero();
        assertThat(console.out).isEqualTo("{\"signalled\":[]}\n");
    }

    @Test
    void logsAreLabelledAndInertOnATerminal() {
        daemon.on("GET /v1/sandboxes/box/commands/cmd-1/output?", 200, "{\"dropped\":2048}\n" + event("stdout", "one\n\ntw") + event("stdout", "o\u001b[2J"))
                .on("GET /v1/sandboxes/box/commands/cmd-2/output?", 200, event("stderr", "bad\n"));
        assertThat(console.run("logs", "box")).isZero();
        assertThat(console.out).isEqualTo("cmd-1 | one\ncmd-1 | \ncmd-1 | two\u001b[2J\n");
        assertThat(console.err).isEqualTo("cmd-1 | ... 2 KB of output was not kept ...\ncmd-2 | bad\n");
        assertThat(console.terminals(1).run("logs", "box", "1")).isZero();
        assertThat(console.out).isEqualTo("one\n\ntwo\\x1b[2J");
        assertThat(console.run("logs", "--raw", "box", "1")).isZero();
        assertThat(console.out).endsWith("\u001b[2J");
        assertThat(console.run("logs", "-f", "-o", "json", "box", "1")).isZero();
        assertThat(console.out).startsWith("{\"command\":\"cmd-1\",\"dropped\":2048}\n{\"command\":\"cmd-1\",\"stream\":\"stdout\",");
        assertThat(daemon.asked).last().asString().contains("follow=true");
    }

    private void twoRun() {
        String first = Json.write(new Command("cmd-1", List.of("one"), null, null, false, "running", 12, Instant.EPOCH, null));
        String second = Json.write(new Command("cmd-2", List.of("two"), null, null, false, "running", 13, Instant.EPOCH, null));
        daemon.on("GET /v1/sandboxes/box/commands", 200, "{\"commands\":[" + first + "," + second + "]}")
                .on("GET /v1/sandboxes/box/commands/cmd-1/output?", 200, event("stdout", "one\n"));
    }

    @Test
    void logsOfSeveralFailWithOneOfThem() {
        twoRun();
        daemon.on("GET /v1/sandboxes/box/commands/cmd-2/output?", 404, "{\"code\":\"command_not_found\",\"message\":\"gone\",\"hint\":\"\"}");
        assertThat(console.run("logs", "-f", "box")).isEqualTo(3);
        assertThat(console.out).isEqualTo("cmd-1 | one\n");
        assertThat(console.err).contains("gone");
    }

    @Test
    void logsOfSeveralEndWhenNobodyReads() {
        twoRun();
        daemon.on("GET /v1/sandboxes/box/commands/cmd-2/output?", 200, event("stdout", "two\n"));
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        Map<String, String> environment = Map.of("SANDGLASS_URL", "unix://" + daemon.socket, "SANDGLASS_API_KEY", "token");
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        assertThat(Main.run(new Console(InputStream.nullInputStream(), closed, told, Set.of(), environment), "logs", "-f", "box")).isEqualTo(141);
        assertThat(told.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void attachJoinsTheOnlyCommandThatRuns() {
        daemon.onAttach("GET /v1/sandboxes/box/commands/cmd-1/attach?offset=", socket -> {
            socket.send(1, "tail ");
            socket.send(1, socket.receive().substring(1));
            socket.exit(4, "");
        });
        assertThat(console.input("typed").run("attach", "box")).isEqualTo(4);
        assertThat(console.out).isEqualTo("tail typed");
        assertThat(console.run("attach", "box", "cmd-8")).isEqualTo(125);
    }

    @Test
    void attachTellsWhichCommandsThereAre() {
        String commands = COMMAND.formatted(1, false, "running", "") + "," + COMMAND.formatted(2, false, "exited", EXIT) + "," + COMMAND.formatted(3, true, "running", "");
        daemon.on("GET /v1/sandboxes/box/commands", 200, "{\"commands\":[" + commands + "]}");
        assertThat(console.run("attach", "box")).isEqualTo(125);
        assertThat(console.err).contains("In box run 2 commands", "\n  cmd-1   sleep 9\\x1b\n  cmd-3   sleep 9\\x1b\n").doesNotContain("cmd-2");
        daemon.on("GET /v1/sandboxes/box/commands", 200, "{\"commands\":[]}");
        assertThat(console.run("attach", "box")).isEqualTo(125);
        assertThat(console.err).contains("In box runs no command");
    }

    @Test
    void filesAreListedMovedAndRemoved() {
        daemon.on("GET /v1/sandboxes/box/files/stat?path=%2Fd&", 200, ENTRY.formatted("d", "/d", "directory"))
                .on("GET /v1/sandboxes/box/files/list?path=%2Fd&", 200,
                        "{\"entries\":[" + ENTRY.formatted("f", "f", "file") + "],\"truncated\":true}")
                .on("POST /v1/sandboxes/box/files/move?path=%2Fd&to=%2Fe", 200, ENTRY.formatted("e", "/e", "directory"))
                .on("PUT /v1/sandboxes/box/files/directory?path=%2Fn&mode=0700", 200, ENTRY.formatted("n", "/n", "directory"))
                .on("DELETE /v1/sandboxes/box/files?path=%2Fd&recursive=true", 204, "")
                .on("DELETE /v1/sandboxes/box/files?path=%2Fx", 404, "{\"code\":\"path_not_found\",\"message\":\"x\",\"hint\":\"\"}")
                .on("GET /v1/sandboxes/box/files?path=%2Ff", 200, "con\u001btent");
        assertThat(console.terminals(1).run("files", "ls", "box:/d")).isZero();
        assertThat(console.out).containsPattern("-rwsr-xr-x +root:7 +5 B +2026-01-01 00:00:00 +f");
        assertThat(console.err).contains("there is more");
        assertThat(console.run("files", "cat", "box:/f")).isZero();
        assertThat(console.out).isEqualTo("con\\x1btent");
        assertThat(console.terminals().run("files", "cat", "box:/f")).isZero();
        assertThat(console.out).isEqualTo("con\u001btent");
        assertThat(console.run("files", "mv", "box:/d", "box:/e")).isZero();
        assertThat(console.run("files", "mv", "box:/d", "other:/e")).isEqualTo(2);
        assertThat(console.run("files", "mkdir", "-m", "0700", "box:/n")).isZero();
        assertThat(console.run("files", "rm", "-r", "box:/d")).isZero();
        assertThat(console.out).isEqualTo("{\"removed\":[\"box:/d\"]}\n");
        assertThat(console.terminals(1).run("files", "rm", "-r", "box:/d")).isZero();
        assertThat(console.out).isEmpty();
        console.terminals();
        assertThat(console.run("files", "rm", "box:/x")).isEqualTo(3);
        assertThat(console.run("files", "delete", "-f", "box:/x")).isZero();
        assertThat(console.run("files", "ls", "/local")).isEqualTo(2);
        assertThat(console.run("files")).isEqualTo(2);
        assertThat(console.run("files", "nonsense")).isEqualTo(2);
        assertThat(console.run("help", "files", "ls")).isZero();
        assertThat(console.out).startsWith("Usage: sandglass files ls");
    }

    @Test
    void wordsAreCompleted() {
        daemon.on("GET /v1/sandboxes/box/files/list?path=%2Fd%2F", 200, "{\"entries\":[" + ENTRY.formatted("sub", "sub", "directory") + "],\"truncated\":false}");
        assertThat(completed("exe")).isEqualTo("exec\n:\n");
        assertThat(completed("files", "m")).isEqualTo("mkdir\nmv\n:\n");
        assertThat(completed("exec", "")).isEqualTo("box\n:\n");
        assertThat(completed("exec", "--user", "root", "b")).isEqualTo("box\n:\n");
        assertThat(completed("exec", "box", "")).isEqualTo(":\n");
        assertThat(completed("ls", "-o", "")).isEqualTo("json\ntable\nyaml\n:\n");
        assertThat(completed("exec", "-o", "")).isEqualTo("json\ntable\nyaml\n:\n");
        assertThat(completed("create", "--on-timeout", "")).isEqualTo("kill\npause\npause-disk\n:\n");
        assertThat(completed("update", "box", "--restart", "f")).isEqualTo("from-checkpoint\n:\n");
        assertThat(completed("run", "--cap-add", "NET_")).isEqualTo("NET_BIND_SERVICE\nNET_RAW\n:\n");
        assertThat(completed("create", "--cap-drop", "A")).isEqualTo("ALL\nAUDIT_WRITE\n:\n");
        assertThat(completed("create", "--cap-add", "A")).isEqualTo("AUDIT_WRITE\n:\n");
        assertThat(completed("create", "--runtime", "g")).isEqualTo("gvisor\n:\n");
        assertThat(completed("create", "--security", "")).isEqualTo("standard\nstrict\n:\n");
        assertThat(completed("credential", "create", "--preset", "")).isEqualTo("anthropic\ngeneric\nopenai\n:\n");
        assertThat(completed("ls", "--wa")).isEqualTo("--watch\n:\n");
        assertThat(completed("kill", "box", "c")).isEqualTo("cmd-1\n:\n");
        assertThat(completed("cp", "b")).isEqualTo("box:\n:nf\n");
        assertThat(completed("files", "cat", "box:/d/")).isEqualTo("box:/d/sub/\n:n\n");
        assertThat(completed("exec", "--url", "unix:///nowhere", "")).isEqualTo("box\n:\n");
        assertThat(console.run("__complete", "--url", "unix:///nowhere", "--", "exec", "")).isZero();
        assertThat(console.out).isEqualTo(":\n");
    }

    private String completed(String... words) {
        String[] line = new String[words.length + 2];
        line[0] = "__complete";
        line[1] = "--";
        System.arraycopy(words, 0, line, 2, words.length);
        assertThat(console.run(line)).as(console.err).isZero();
        return console.out;
    }

    private static String event(String stream, String text) {
        String data = Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
        return "{\"stream\":\"" + stream + "\",\"offset\":0,\"data\":\"" + data + "\"}\n";
    }
}
