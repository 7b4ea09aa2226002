package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.network.egress.SmallInternet;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** An agent that is installed by a script of its makers: from a place that stands in for theirs, and from one that cannot be reached. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class HermesTest {
    private static final String ADDRESS = "203.0.113.10";
    private static final String ROUTE_SECRET = "a-secret-of-the-route";
    /** It tells its version and how it was installed, and has a gateway that answers whom it knows, and counts its starts in its home. */
    private static final String SCRIPT = """
            mkdir -p /root/.local/bin
            echo "$*" > /root/installed-with
            cat > /root/.local/bin/hermes <<'END'
            #!/usr/bin/python3
            import http.server, os, pathlib, sys
            if sys.argv[1:] == ["--version"]:
                print("hermes 1.2.3")
                sys.exit()
            starts = pathlib.Path(os.environ["HERMES_HOME"], "starts")
            starts.write_text(starts.read_text() + "x" if starts.exists() else "x")
            class Gateway(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    known = self.headers["Authorization"] == "Bearer " + os.environ["API_SERVER_KEY"]
                    self.send_response(200 if known else 401)
                    self.end_headers()
                    self.wfile.write(("started " + str(len(starts.read_text())) + " with " + os.environ["ANTHROPIC_API_KEY"]).encode())
            http.server.HTTPServer(("127.0.0.1", 8642), Gateway).serve_forever()
            END
            chmod 755 /root/.local/bin/hermes
            """;

    private static SmallInternet internet;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestTemplates templates = new TestTemplates(daemon);

    @BeforeAll
    static void open() throws IOException, InterruptedException {
        internet = new SmallInternet();
        internet.name("hermes.example.org", ADDRESS);
        internet.http(ADDRESS, 8080, exchange -> {
            byte[] script = SCRIPT.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, script.length);
            exchange.getResponseBody().write(script);
            exchange.close();
        });
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

    @AfterEach
    void clear() {
        daemon.api().names().stream().filter(name -> name.startsWith("of-")).forEach(daemon.api()::destroy);
        new TestVolumes(daemon.caller()).removeAll();
        daemon.caller().send("DELETE", "/v1/credentials/of-model", "", BodyPublishers.noBody()); // fine if there is none
        templates.clear();
    }

    @Test
    void itIsInstalledFromWhereItsSourceIsSaidToBe() {
        templates.create("""
                name: messenger
                resources: {memory_mb: 512}
                components: [hermes-agent]
                variables: {HERMES_SOURCE: "http://hermes.example.org:8080/install.sh"}
                """);
        assertThat(templates.get("messenger").domains()).contains("hermes.example.org:8080");
        templates.built("messenger");
        assertThat(said("messenger")).isEqualTo("hermes 1.2.3");
    }

    @Test
    void aSourceThatCannotBeReachedIsNamed() {
        templates.create("name: lost\nresources: {memory_mb: 512}\ncomponents: [hermes-agent]\nvariables: {HERMES_SOURCE: \"https://nowhere.example.org/install.sh\"}\n");
        Build build = templates.build("lost");
        assertThat(TestTemplates.error(build)).isEqualTo("build_failed");
        assertThat(Objects.requireNonNull(build.error()).message()).contains("could not reach https://nowhere.example.org/install.sh");
        assertThat(build.warnings()).singleElement().asString().contains("hermes-agent wants 4096 MB");
    }

    /** As docs/agents/hermes.md does it. */
    @Test
    void itsGatewayWakesUpWithItsStateAndAModelThatItHasNoKeyFor() {
        templates.create("name: messenger\nresources: {memory_mb: 512}\ncomponents: [hermes-agent]\nvariables: {HERMES_SOURCE: \"http://hermes.example.org:8080/install.sh\", HERMES_COMMIT: \"\"}\n");
        templates.built("messenger");
        daemon.caller().post("/v1/credentials", new CreateCredential("of-model", "not a real key", null, null, null, null, null, null, null, null, null, null, "anthropic", null, null));
        new TestVolumes(daemon.caller()).create("of-state", 64);
        SandboxRequest request = SandboxRequest.on("auto").name("of-messenger").from("messenger").network("open").volume("of-state", "/hermes", null).env(Map.of("HERMES_HOME", "/hermes")).credentials("of-model").autoResume();
        TestSandbox box = new TestSandbox(daemon.caller(), daemon.caller().post("/v1/sandboxes", request.toWire()).as(Sandbox.class));
        assertThat(box.output("cat /root/installed-with")).isEqualTo("--skip-setup --skip-browser");
        new TestServices(box).create(ServiceRequest.shell("gateway", "API_SERVER_KEY=a-key exec hermes-agent gateway"));
        RoutedProgram.route(box, 8642, RoutedProgram.Wish.closed("api", ROUTE_SECRET).header("X-Route-Secret").resuming());
        RoutedProgram.awaitPort(box, 8642);
        assertThat(ask(box, "Authorization: Bearer a-key").text()).as("without the secret of the route").doesNotContain("started");
        assertThat(ask(box, "X-Route-Secret: " + ROUTE_SECRET).status()).as("without the key of the program").isEqualTo(401);
        assertThat(known(box)).isEqualTo("started 1 with sandglass-adds-the-key-on-the-way");
        box.pause(true);
        assertThat(known(box)).as("woken by one request").isEqualTo("started 2 with sandglass-adds-the-key-on-the-way");
        assertThat(box.now().state()).isEqualTo("running");
    }

    private RouteClient.Reply ask(TestSandbox box, String... headers) {
        return RouteClient.of(daemon).get("localhost", "/" + box.id() + "/api/v1/models", headers);
    }

    private String known(TestSandbox box) {
        return ask(box, "X-Route-Secret: " + ROUTE_SECRET, "Authorization: Bearer a-key").text();
    }

    private String said(String template) {
        Sandbox made = daemon.caller().post("/v1/sandboxes", SandboxRequest.on("auto").name("of-" + template).from(template).toWire()).as(Sandbox.class);
        return new TestSandbox(daemon.caller(), made).output("hermes-agent --version");
    }
}
