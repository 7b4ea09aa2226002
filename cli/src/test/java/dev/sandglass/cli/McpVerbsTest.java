package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients are told of Sandglass without harm to what they know besides; and lines go to the daemon and back, over one that is replaced too. */
@Timeout(120)
class McpVerbsTest extends VerbFixture {
    private static final String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}";

    private Path home;

    @BeforeEach
    void home() throws IOException {
        home = Files.createDirectory(directory.resolve("home"));
        System.setProperty("sandglass.launcher", "/opt/sandglass/sandglass");
        console.with("HOME", home.toString()).with("SANDGLASS_API_KEY", "a-secret-token").with("SANDGLASS_URL", "");
    }

    @ParameterizedTest
    @CsvSource({"claude,.claude.json", "cursor,.cursor/mcp.json"})
    void aClientIsToldInJson(String client, String file) throws IOException {
        assertThat(console.run("mcp", "install", client)).as(console.err).isZero();
        String type = client.equals("claude") ? "      \"type\": \"stdio\",\n" : "";
        String expected = "{\n  \"mcpServers\": {\n    \"sandglass\": {\n" + type + "      \"command\": \"/opt/sandglass/sandglass\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n";
        assertThat(home.resolve(file)).hasContent(expected);
        assertThat(console.out).contains("\"changed\":true", home.resolve(file).toString());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve(file)))).isEqualTo("rw-------");
        assertThat(console.run("mcp", "install", client, "-o", "table")).isZero();
        assertThat(console.out).isEqualTo(client + "   " + home.resolve(file) + "   unchanged\n");
        assertThat(home.resolve(file)).hasContent(expected);
    }

    @Test
    void aClientIsToldInToml() throws IOException {
        Path file = home.resolve(".codex/config.toml");
        Files.createDirectories(file.getParent());
        String before = "# mine\nmodel = \"o3\"   # odd spaces\n\n[mcp_servers.other]\nargs = [\n  'a', # why\n]\ncommand = 'x'\n";
        Files.writeString(file, before);
        assertThat(console.run("mcp", "install", "codex")).as(console.err).isZero();
        String after = before + "\n[mcp_servers.sandglass]\ncommand = \"/opt/sandglass/sandglass\"\nargs = [\"mcp\"]\n";
        assertThat(file).hasContent(after);
        assertThat(console.run("mcp", "install", "codex", "-o", "table")).isZero();
        assertThat(console.out).endsWith("unchanged\n");
        assertThat(file).hasContent(after);
        Files.writeString(file, after.replace("args = [\"mcp\"]", "args = [ \"old\" ] # was here\nstartup_timeout_sec = 30"));
        assertThat(console.run("mcp", "install", "codex")).isZero();
        assertThat(Files.readString(file)).startsWith(before).contains("args = [\"mcp\"] # was here\nstartup_timeout_sec = 30\n");
    }

    @Test
    void allElseStaysAsItWas() throws IOException {
        Path real = home.resolve("dotfiles.json");
        String before = "{\n    \"numStartups\": 34,\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\",   \"env\": {\"TOKEN\": \"kept\"}},\n        \"sandglass\": {\"command\": \"/old\", \"env\": {\"A\": \"b\"}, \"args\": []}\n    },\n    \"z\": [1,2 , 3]\n}";
        Files.writeString(real, before);
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rw-r-----"));
        Files.createSymbolicLink(home.resolve(".claude.json"), real);
        assertThat(console.run("mcp", "install", "claude")).as(console.err).isZero();
        assertThat(real).hasContent(before.replace("\"/old\"", "\"/opt/sandglass/sandglass\"").replace("\"args\": []", "\"args\": [\"mcp\"], \"type\": \"stdio\""));
        assertThat(Files.isSymbolicLink(home.resolve(".claude.json"))).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(real))).isEqualTo("rw-r-----");
        assertThat(home).isDirectoryNotContaining(file -> file.getFileName().toString().endsWith(".new"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "claude | .claude.json | {\"mcpServers\": ", "claude | .claude.json | // comment", "claude | .claude.json | []", "claude | .claude.json | {\"mcpServers\":[]}", "claude | .claude.json | {\"a\":1,\"a\":2}",
        "cursor | .cursor/mcp.json | {\"mcpServers\":{\"sandglass\":7}}", "codex | .codex/config.toml | model = ", "codex | .codex/config.toml | mcp_servers = 3", "codex | .codex/config.toml | [a]\\n[a]\\n"
    })
    void aBrokenFileIsLeftAlone(String client, String name, String content) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content.replace("\\n", "\n"));
        assertThat(console.run("mcp", "install", client)).isEqualTo(4);
        assertThat(console.err).contains("was left as it is", "--print");
        assertThat(file).hasContent(content.replace("\\n", "\n"));
    }

    @Test
    void theTokenIsNotWrittenAndTheDaemonIsFound() throws IOException {
        console.with("SANDGLASS_DATA_DIR", "/srv/sandglass");
        assertThat(console.run("mcp", "install", "cursor", "--print")).isZero();
        assertThat(console.out).contains("[\"mcp\", \"--data-dir\", \"/srv/sandglass\"]").doesNotContain("a-secret-token");
        assertThat(home.resolve(".cursor")).doesNotExist();
        assertThat(console.run("mcp", "install", "cursor", "--url", "https://box.example.org", "--token-file", "/root/token", "--name", "far")).isZero();
        assertThat(Files.readString(home.resolve(".cursor/mcp.json"))).contains("\"far\": {", "[\"mcp\", \"--url\", \"https://box.example.org\", \"--token-file\", \"/root/token\", \"--data-dir\", \"/srv/sandglass\"]").doesNotContain("a-secret-token");
        assertThat(console.err).contains("SANDGLASS_API_KEY is set here and was not written");
        assertThat(console.run("mcp", "install", "emacs")).isEqualTo(2);
        assertThat(console.err).contains("expected: claude, codex or cursor");
    }

    @Test
    void clientsThatLookElsewhereAreToldThere() throws IOException {
        Path elsewhere = Files.createDirectory(home.resolve("elsewhere"));
        console.with("CODEX_HOME", elsewhere.toString()).with("CLAUDE_CONFIG_DIR", elsewhere.toString());
        assertThat(console.run("mcp", "install", "codex") + console.run("mcp", "install", "claude")).isZero();
        assertThat(elsewhere.resolve("config.toml")).exists();
        assertThat(elsewhere.resolve(".claude.json")).exists();
    }

    @Test
    void linesGoToTheDaemonAndBack() {
        console.with("SANDGLASS_URL", "unix://" + daemon.socket);
        daemon.onAttach("GET /mcp/lines", socket -> {
            assertThat(socket.receive()).isEqualTo("0" + INITIALIZE);
            socket.send(0, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}");
            assertThat(socket.receive()).isEqualTo("0not json");
            socket.send(0, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700}}");
            assertThat(socket.receive()).isEqualTo("0{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
            socket.send(0, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
            socket.receive(); // goodbye
        });
        console.input(INITIALIZE + "\r\n\n  \nnot json\n" + "x".repeat(2 << 20) + "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
        assertThat(console.run("mcp")).as(console.err).isZero();
        assertThat(console.out.lines()).containsExactlyInAnyOrder(
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}", "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700}}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"The line is longer than 1048575 bytes. Write large files in pieces, or with sandglass cp.\"}}");
        assertThat(console.err).isEmpty();
    }

    @Test
    void aSessionIsBegunAgainWithTheNextDaemon() throws IOException, InterruptedException {
        AtomicInteger daemons = new AtomicInteger();
        daemon.onAttach("GET /mcp/lines", socket -> {
            int which = daemons.incrementAndGet();
            assertThat(socket.receive()).isEqualTo("0" + INITIALIZE);
            socket.send(0, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"daemon\":" + which + "}}");
            if (which == 1) {
                assertThat(socket.receive()).contains("\"id\":1");
                return; // and is gone
            }
            assertThat(socket.receive()).isEqualTo("0{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
            assertThat(socket.receive()).contains("\"id\":2");
            socket.send(0, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
            socket.receive(); // goodbye
        });
        PipedOutputStream typed = new PipedOutputStream();
        PipedInputStream printed = new PipedInputStream(1 << 16);
        Console piped = new Console(
                new PipedInputStream(typed), new PipedOutputStream(printed), OutputStream.nullOutputStream(), Set.of(), Map.of("SANDGLASS_URL", "unix://" + daemon.socket, "SANDGLASS_API_KEY", "t"));
        Thread relay = Thread.ofVirtual().start(() -> Main.run(piped, "mcp"));
        BufferedReader lines = new BufferedReader(new InputStreamReader(printed, StandardCharsets.UTF_8));
        typed.write((INITIALIZE + "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}\n").getBytes(StandardCharsets.UTF_8));
        typed.flush();
        assertThat(lines.readLine()).contains("\"daemon\":1");
        assertThat(lines.readLine()).contains("\"id\":1", "replaced while it worked on this");
        typed.write("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n".getBytes(StandardCharsets.UTF_8));
        typed.flush();
        assertThat(lines.readLine()).as("the second beginning is not the client's").contains("\"id\":2");
        typed.close();
        relay.join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mcp", "mcp wrap -- server"})
    void withoutADaemonThereIsNothingToCarryTo(String verb) {
        console.with("SANDGLASS_URL", "unix://" + directory.resolve("nothing.sock"));
        assertThat(console.run(verb.split(" "))).isEqualTo(verb.equals("mcp") ? 1 : 125);
        assertThat(console.err).contains("does not answer", "sandglass up");
        assertThat(console.out).isEmpty();
    }
}
