package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.network.egress.SmallInternet;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
    private static final String SCRIPT = "mkdir -p /root/.local/bin; printf '#!/bin/sh\\necho hermes 1.2.3\\n' > /root/.local/bin/hermes; chmod 755 /root/.local/bin/hermes\n";

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

    private String said(String template) {
        Sandbox made = daemon.caller().post("/v1/sandboxes", SandboxRequest.on("auto").name("of-" + template).from(template).toWire()).as(Sandbox.class);
        return new TestSandbox(daemon.caller(), made).output("hermes-agent --version");
    }
}
