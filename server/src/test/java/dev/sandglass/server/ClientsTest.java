package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.sandglass.network.egress.SmallInternet;
import dev.sandglass.network.intercept.Authorities;
import dev.sandglass.network.intercept.WorldAuthority;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.NetworkAttempt;
import dev.sandglass.wire.NetworkAttemptList;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that people use, in sandboxes, with servers in a small internet: passed through, and looked into. */
@OnEveryRuntime
class ClientsTest {
    private static final String PASSWORD = "s3cret-of-git";
    /** Trusts what the file in its argument has, if there is one, else what programs trust; echoes a word by WebSocket. */
    private static final String WEBSOCKET = """
            import socket, ssl, sys
            plain = socket.create_connection(("ws.example.org", 443), timeout=60)
            line = ssl.create_default_context(cafile=sys.argv[1] if len(sys.argv) > 1 else None).wrap_socket(plain, server_hostname="ws.example.org")
            line.sendall(b"GET /ws HTTP/1.1\\r\\nHost: ws.example.org\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n")
            said = line.makefile("rb")
            print(said.readline().decode().strip())
            while said.readline() != b"\\r\\n": pass
            def hear():
                said.read(1); return said.read(said.read(1)[0]).decode()
            print(hear())
            line.sendall(b"\\x81\\x84\\0\\0\\0\\0word"); print(hear())
            """;

    private static final Queue<String> AUTHORIZED = new ConcurrentLinkedQueue<>();

    @TempDir
    static Path repositories;

    private static SmallInternet internet;
    private static GitServer git;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    ClientsTest(String runtime) {
        this.runtime = runtime;
    }

    @BeforeAll
    static void open() throws IOException, InterruptedException {
        internet = new SmallInternet();
        git = new GitServer(repositories, "Basic " + Base64.getEncoder().encodeToString(("bot:" + PASSWORD).getBytes(StandardCharsets.US_ASCII)));
        internet.name("git.example.org", "203.0.113.20");
        internet.https("203.0.113.20", 443, "git.example.org", git);
        internet.name("pip.example.org", "203.0.113.21");
        internet.https("203.0.113.21", 443, "pip.example.org", new PipIndex());
        internet.name("ws.example.org", "203.0.113.22");
        internet.webSocket("203.0.113.22", 443, Optional.of("ws.example.org"));
        internet.name("moved.example.org", "203.0.113.23");
        internet.https("203.0.113.23", 443, "moved.example.org", exchange -> told(exchange, 307));
        internet.name("next.example.org", "203.0.113.24");
        internet.https("203.0.113.24", 443, "next.example.org", exchange -> told(exchange, 200));
        internet.name("false.example.org", "203.0.113.25");
        internet.https("203.0.113.25", 443, WorldAuthority.context(Authorities.at(repositories.resolve("stranger")).of("stranger"), "false.example.org"));
        TestDaemon daemon = SharedDaemon.daemon();
        daemon.stop();
        daemon.within(internet.outside()).start();
    }

    @AfterAll
    static void close() throws IOException, InterruptedException {
        TestDaemon daemon = SharedDaemon.daemon();
        daemon.stop();
        daemon.outOfIt().start();
        internet.close();
    }

    private TestSandbox allowed(String... rules) {
        return daemon.api().create(SandboxRequest.on(runtime).memoryMb(512).network(null, rules));
    }

    /** Where the authority of the small internet is in a sandbox: what is passed through has its certificates. */
    private static String worlds(TestSandbox box) throws IOException {
        box.output("cat > /workspace/world.pem <<'END'\n" + Files.readString(internet.outside().trusted().orElseThrow()) + "END");
        return "/workspace/world.pem";
    }

    private static String cloneAndPush(String settings, String repository, String subject) {
        return "export GIT_TERMINAL_PROMPT=0 " + settings + "; cd /workspace && git clone -q https://git.example.org/" + repository + " copy 2>&1 && cd copy && cat README && echo more >> README && "
                + "git -c user.name=a -c user.email=a@example.org commit -qam '" + subject + "' && git push -q origin main 2>&1 && echo pushed || true";
    }

    @Test
    void gitClonesAndPushes() throws IOException, InterruptedException {
        try (TestSandbox box = allowed("allow git.example.org:443")) {
            String subject = "passed through from " + runtime;
            String trusting = "GIT_SSL_CAINFO=" + worlds(box);
            assertThat(box.output(cloneAndPush(trusting, "open.git", subject))).startsWith("hello").endsWith("pushed");
            assertThat(git.log("open.git")).startsWith(subject);
            assertThat(box.output("cd /workspace; GIT_TERMINAL_PROMPT=0 " + trusting + " git clone -q https://git.example.org/closed.git closed 2>&1 || true")).as("without a password").contains("could not read Username");
        }
    }

    /** With a password that it never sees, and only where requests are allowed. */
    @Test
    void gitClonesAndPushesWithAPasswordThatIsAdded() throws IOException, InterruptedException {
        String name = "git-" + runtime;
        daemon.caller().post("/v1/credentials", new CreateCredential(name, PASSWORD, "basic", null, "bot", null, null, "git.example.org", null, List.of("/closed.git/*"), null, null, null, null, null));
        try (TestSandbox box = allowed("allow git.example.org:443 GET,POST /closed.git/*")) {
            daemon.caller().good(daemon.caller().send("PUT", box.path() + "/credentials/" + name, "", BodyPublishers.noBody()));
            String subject = "looked into from " + runtime;
            assertThat(box.output(cloneAndPush("", "closed.git", subject))).startsWith("hello").endsWith("pushed");
            assertThat(git.log("closed.git")).startsWith(subject);
            assertThat(box.output("cd /workspace; git clone -q https://git.example.org/open.git other 2>&1 || true")).as("another path").contains("403");
            assertThat(box.output("grep -rs " + PASSWORD + " /workspace /root /etc; env | grep " + PASSWORD + "; true")).isEmpty();
        } finally {
            daemon.caller().delete("/v1/credentials/" + name);
        }
    }

    /** Notes which credential came where, and sends whoever asks elsewhere. */
    private static void told(HttpExchange exchange, int status) throws IOException {
        AUTHORIZED.add(exchange.getRequestHeaders().getFirst("Host") + " " + exchange.getRequestHeaders().getFirst("Authorization"));
        exchange.getResponseHeaders().add("Location", "https://next.example.org/v1/a");
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    @Test
    void aCredentialGoesNeitherAlongARedirectNorToAServerThatIsNotTrusted() throws IOException {
        List<String> names = List.of("moved", "false");
        names.forEach(name -> daemon.caller().post("/v1/credentials", new CreateCredential(name + runtime, PASSWORD, null, null, null, null, null, name + ".example.org", null, null, null, null, null, null, null)));
        try (TestSandbox box = allowed("allow *.example.org:443")) {
            names.forEach(name -> daemon.caller().good(daemon.caller().send("PUT", box.path() + "/credentials/" + name + runtime, "", BodyPublishers.noBody())));
            AUTHORIZED.clear();
            box.output("curl -sSk --location-trusted -H 'Authorization: Bearer placeholder' https://moved.example.org/v1/a");
            assertThat(AUTHORIZED).containsExactly("moved.example.org Bearer " + PASSWORD, "next.example.org Bearer placeholder");
            assertThat(box.output("curl -sSk -H 'Authorization: Bearer placeholder' https://false.example.org/v1/a")).as("from the gateway, not from the server").contains("certificate").doesNotContain("authorization=");
            assertThat(daemon.caller().get(box.path() + "/policy/log").text() + Files.readString(daemon.log())).doesNotContain(PASSWORD);
        } finally {
            names.forEach(name -> daemon.caller().delete("/v1/credentials/" + name + runtime));
        }
    }

    @Test
    void pipInstallsAPackage() throws IOException {
        String use = " tiny 2>&1; PYTHONPATH=/workspace/here python3 -c 'import tiny; print(tiny.WORD)' 2>&1";
        String install = "pip install -q --disable-pip-version-check --no-cache-dir --root-user-action ignore --target /workspace/here --index-url https://pip.example.org/simple/ ";
        try (TestSandbox box = allowed("allow pip.example.org:443")) {
            String trusted = worlds(box);
            assertThat(box.output("REQUESTS_CA_BUNDLE=" + trusted + " PIP_CERT=" + trusted + " " + install + use)).as("passed through").endsWith(PipIndex.WORD);
        }
        try (TestSandbox box = allowed("allow pip.example.org:443 GET /simple/*,/files/*")) {
            assertThat(box.output(install + use)).as("looked into").endsWith(PipIndex.WORD);
        }
    }

    @Test
    void http2IsPassedThrough() throws IOException {
        try (TestSandbox box = allowed("allow ws.example.org:443")) {
            assertThat(box.output("curl -sS --http2 -o /dev/null -w %{http_version} --cacert " + worlds(box) + " https://ws.example.org/")).isEqualTo("2");
        }
    }

    @Test
    void webSocketsAreSpoken() throws IOException {
        try (TestSandbox box = allowed("allow ws.example.org:443")) {
            assertThat(box.output(Run.of("python3", "-c", WEBSOCKET, worlds(box)))).as("passed through").contains("101").endsWith("word");
        }
        try (TestSandbox box = allowed("allow ws.example.org:443 GET /ws")) {
            assertThat(box.output(Run.of("python3", "-c", WEBSOCKET))).as("looked into").contains("101").contains("authorization=null").endsWith("word");
            await().until(() -> attempts(box).stream().anyMatch(each -> Objects.equals(each.status(), 101) && Objects.equals(each.path(), "/ws") && each.sent() > 0));
        }
    }

    @Test
    void whatTheyTryIsStreamedAsItComes() throws IOException {
        try (TestSandbox box = allowed("allow git.example.org:443");
                BufferedReader lines = new BufferedReader(new InputStreamReader(daemon.caller().open(box.path() + "/policy/log", Map.of("Accept", "text/event-stream")), StandardCharsets.UTF_8))) {
            box.output("curl -sS -m 20 https://203.0.113.21/ 2>&1 || true");
            String line = lines.readLine();
            while (!line.startsWith("data: ")) {
                line = lines.readLine();
            }
            NetworkAttempt told = Json.read(NetworkAttempt.class, line.substring(6).getBytes(StandardCharsets.UTF_8));
            assertThat(List.of(told.verdict(), String.valueOf(told.address()), String.valueOf(told.allow()))).containsExactly("deny", "203.0.113.21", "203.0.113.21:443");
        }
    }

    private List<NetworkAttempt> attempts(TestSandbox box) {
        return daemon.caller().get(box.path() + "/policy/log").as(NetworkAttemptList.class).attempts();
    }
}
