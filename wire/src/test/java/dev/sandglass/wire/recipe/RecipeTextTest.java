package dev.sandglass.wire.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.Component;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.TemplatePool;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What people write into recipes is what the API gets. */
class RecipeTextTest {
    private static Template read(String yaml) {
        return TemplateText.read("t.yaml", yaml, null, (path, _) -> path.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aTemplateHasAllThatIsWritten() {
        Template template = read("""
                name: shop
                from: python
                components: [jq, {name: own, install: "true"}]
                files: [{path: /a, source: beside}]
                requiredDomains: ["@npm", example.org]
                network: none
                ready: test -e /a
                services: [{name: web, command: serve, port: 80}]
                pool: {minIdle: 1, maxIdle: 2}
                resources: {memoryMB: 512, cpus: 1.5}
                """);
        assertThat(template.components()).containsExactly("jq", "own");
        assertThat(Objects.requireNonNull(template.definitions())).extracting(Component::name).containsExactly("own");
        assertThat(template.files()).containsExactly(new TemplateFile("/a", null, "YmVzaWRl", null, null));
        assertThat(template.requiredDomains()).containsExactly("@npm", "example.org");
        assertThat(template.network()).isEqualTo(new NetworkPolicy("none", null, null));
        assertThat(Objects.requireNonNull(template.ready()).command()).isEqualTo("test -e /a");
        assertThat(Objects.requireNonNull(template.services()).getFirst().argv()).isEqualTo(List.of("bash", "-c", "serve"));
        assertThat(template.pool()).isEqualTo(new TemplatePool(1L, 2L, null));
        assertThat(Objects.requireNonNull(template.resources()).memoryMb()).isEqualTo(512);
    }

    @Test
    void whatIsWrongIsToldWhereItStands() {
        Map.of(
                        "name: a\nsetup_script: x\n", "t.yaml:2:1: setup_script is no known key",
                        "setup: x\n", "t.yaml:1:1: the document: name is missing",
                        "name: a\nfiles: [{path: /x}]\n", "t.yaml:2:9: files[0]: a mapping (expected: one of content, content_base64 and source)",
                        "name: a\nservices: [{name: w}]\n", "either command, for a shell, or argv",
                        "name: a\nresources: {memory_mb: much}\n", "t.yaml:2:24: resources.memory_mb: much (expected: a whole number")
                .forEach((text, said) -> assertThatThrownBy(() -> read(text)).as(text).hasMessageContaining(said));
    }

    @Test
    void aFileOfComponentsListsNamesAndDefinesOthers() {
        ComponentText.Contents file = ComponentText.read("c.yaml", "components: [git, {name: own, install: x, memory: {run_mb: 5}}]\nbundles: [{name: all, components: [own]}]\n", "file");
        assertThat(file.names()).containsExactly("git", "own");
        assertThat(file.components()).singleElement().satisfies(own -> assertThat(Objects.requireNonNull(own.memory()).runMb()).isEqualTo(5));
        assertThat(file.bundles().getFirst().components()).containsExactly("own");
        assertThatThrownBy(() -> ComponentText.read("c.yaml", "components: [{name: a, install: x}, {name: a, install: y}]", "file")).hasMessageContaining("c.yaml:1:");
    }
}
