package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TemplateVerbsTest extends VerbFixture {
    private static final String SHOP = "{\"name\":\"shop\",\"origin\":\"user\",\"state\":\"new\",\"updated_at\":\"2026-01-01T00:00:00Z\",\"components\":[],\"domains\":[]}";

    private static String refusal(String what) {
        return "{\"code\":\"invalid_request\",\"message\":\"" + what + "\",\"hint\":\"See /openapi.json for what the operation takes.\"}";
    }

    private static String event(String type, String data) {
        return "event: " + type + "\ndata: " + data + "\n\n";
    }

    @Test
    void whatTheDaemonRefusesOfAFileIsToldWithItsPlace() throws IOException {
        Path file = Files.writeString(directory.resolve("shop.yaml"), "name: shop\nresources:\n  memoryMb: 5\nservices:\n  - {name: a, command: x}\n  - {name: b, command: y, port: 80}\n");
        String[] create = {"template", "create", "-f", file.toString(), "-o", "table"};
        daemon.on("POST /v1/templates", 400, refusal("resources.memory_mb: 5 (expected: >= 64)"));
        assertThat(console.run(create)).isEqualTo(2);
        assertThat(console.err).isEqualTo("error: " + file + ":3:13: resources.memory_mb: 5 (expected: >= 64)\nhint: Correct the file at that place.\n");
        daemon.on("POST /v1/templates", 400, refusal("services[1].restart: sometimes (expected: never)"));
        console.run(create);
        assertThat(console.err).startsWith("error: " + file + ":6:5: services[1].restart: sometimes");
        daemon.on("POST /v1/templates", 409, "{\"code\":\"name_taken\",\"message\":\"There is one: already.\",\"hint\":\"Choose another.\"}");
        assertThat(console.run(create)).isEqualTo(4);
        assertThat(console.err).as("what is not about a value").isEqualTo("error: There is one: already.\nhint: Choose another.\n");
    }

    @Test
    void whatIsWrongWithADockerfileIsToldWithItsName() throws IOException {
        Path dockerfile = Files.writeString(directory.resolve("Dockerfile"), "FROM debian\nRUN --mount=x true\n");
        daemon.on("POST /v1/templates", 400, "{\"code\":\"invalid_request\",\"message\":\"dockerfile:2:5: --mount is not possible here\",\"hint\":\"Leave it out.\"}");
        assertThat(console.run("template", "create", "shop", "--dockerfile", dockerfile.toString(), "-o", "table")).isEqualTo(2);
        assertThat(console.err).isEqualTo("error: " + dockerfile + ":2:5: --mount is not possible here\nhint: Leave it out.\n");
        Path beside = Files.writeString(directory.resolve("beside.yaml"), "name: shop\ndockerfile_source: Dockerfile\n");
        console.run("template", "create", "-f", beside.toString(), "-o", "table");
        assertThat(console.err).startsWith("error: Dockerfile:2:5: --mount");
        Path inline = Files.writeString(directory.resolve("inline.yaml"), "name: shop\ndockerfile: |\n  FROM debian\n  RUN --mount=x true\n");
        console.run("template", "create", "-f", inline.toString(), "-o", "table");
        assertThat(console.err).startsWith("error: " + inline + ":2:13: dockerfile:2:5: --mount");
    }

    @Test
    void aRecipeComesFromStandardInput() {
        daemon.on("POST /v1/templates", 201, SHOP);
        assertThat(console.input("name: shop\nsetup: echo\n").run("template", "create", "-f", "-", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("shop   new\n");
        assertThat(daemon.asked).last().isEqualTo("POST /v1/templates {\"name\":\"shop\",\"setup\":\"echo\"}");
        assertThat(console.input("name: shop\nsetpu: echo\n").run("template", "create", "-f", "-", "-o", "table")).isEqualTo(2);
        assertThat(console.err).startsWith("error: standard input:2:1: setpu is no known key (expected: setup?)");
        assertThat(console.run("template", "create", "-f", directory.resolve("none.yaml").toString(), "-o", "table")).isEqualTo(2);
        assertThat(console.err).startsWith("error: " + directory.resolve("none.yaml") + " cannot be read: it is not there");
    }

    @Test
    void whyAComponentFailedIsToldInOneLineAndWholeWhereNothingElseTellsIt() {
        String build = "{\"id\":\"build-0123456789ab\",\"kind\":\"provision\",\"subject\":\"otter\",\"state\":\"%s\",\"steps\":[{\"name\":\"jq\",\"state\":\"failed\",\"seconds\":1.5,"
                + "\"message\":\"The step jq ended with 4. Its last lines:\\nfirst\\nthe reason\",\"hint\":\"See what it printed.\"}],\"warnings\":[],\"started_at\":\"2026-01-01T00:00:00Z\"%s}";
        String ended = build.formatted("failed", ",\"ended_at\":\"2026-01-01T00:00:02Z\",\"error\":{\"code\":\"build_failed\",\"message\":\"1 of 1 could not.\",\"hint\":\"The steps tell why.\"}");
        daemon.on("POST /v1/sandboxes/otter/provision", 202, build.formatted("running", ""))
                .on("GET /v1/builds/build-0123456789ab", 200, event("output", "{\"step\":\"jq\",\"text\":\"first\\nthe reason\\n\"}") + event("build", ended));
        assertThat(console.run("provision", "otter", "--components", "jq", "-o", "table")).isEqualTo(1);
        assertThat(console.out).contains("The step jq ended with 4. Its last line: \"the reason\". See what it printed.");
        assertThat(console.err).isEqualTo("first\nthe reason\n[1/1] jq: failed (1.5 s)\nerror: 1 of 1 could not.\nhint: The steps tell why.\n");
        assertThat(console.run("provision", "otter", "--components", "jq", "-q", "-o", "table")).isEqualTo(1);
        assertThat(console.err).startsWith("[1/1] jq: failed (1.5 s)\nThe step jq ended with 4. Its last lines:\nfirst\nthe reason\nerror:");
    }

    @Test
    void aBundleIsShownLikeAComponent() {
        daemon.on("GET /v1/components/ml", 404, "{\"code\":\"component_not_found\",\"message\":\"ml is a bundle.\",\"hint\":\"It has some.\"}")
                .on("GET /v1/components/mm", 404, "{\"code\":\"component_not_found\",\"message\":\"There is no component mm.\",\"hint\":\"List them.\"}")
                .on("GET /v1/components", 200, "{\"components\":[],\"bundles\":[{\"name\":\"ml\",\"components\":[\"python3\",\"git\"]}],\"problems\":[\"/x/own.yaml:1:2: wrong\"]}");
        assertThat(console.run("component", "get", "ml")).isZero();
        assertThat(console.out).isEqualTo("name: ml\ncomponents:\n  - python3\n  - git\n");
        assertThat(console.run("component", "get", "mm")).isEqualTo(3);
        assertThat(console.err).contains("There is no component mm.");
        assertThat(console.run("component", "ls", "-q")).isZero();
        assertThat(console.err).isEqualTo("warning: /x/own.yaml:1:2: wrong; the file is left out\n");
    }
}
