package dev.sandglass.engine.template;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.component.Catalogue;
import dev.sandglass.engine.component.Plan;
import dev.sandglass.wire.Component;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.dockerfile.DockerStep;
import dev.sandglass.wire.recipe.TemplateText;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a step left is taken for that step alone, however somebody words another. */
class StepTest {
    @TempDir
    private Path components;

    private static String command(List<String> argv, Map<String, String> env, String user, String workdir) {
        return new Step.Command(new DockerStep.Run("1: RUN", argv, env, user, workdir)).key("before");
    }

    private static String copy(String target, Optional<String> owner, TemplateFile... files) {
        return new Step.Copy("1: COPY", target, true, owner, Optional.empty(), List.of(files)).key("before");
    }

    private static String component(Map<String, String> variables) {
        Component component = new Component("tool", null, "true", null, null, null, null, null, null, null, null);
        return new Step.Component(new Plan.Item(component, variables)).key("before");
    }

    private String root(String yaml) {
        Template template = TemplateText.read("t.yaml", yaml, "t", (_, _) -> new byte[0]);
        return Recipe.of(template, Catalogue.of(components)).root("base");
    }

    @Test
    void noOtherCommandHasTheSameKey() {
        assertThat(command(List.of("echo", "a, b"), Map.of(), "root", "/")).isNotEqualTo(command(List.of("echo", "a", "b"), Map.of(), "root", "/"));
        assertThat(command(List.of("ls"), Map.of("A", "1, B=2"), "root", "/")).isNotEqualTo(command(List.of("ls"), Map.of("A", "1", "B", "2"), "root", "/"));
        assertThat(command(List.of("ls"), Map.of(), "root", "/a in /b")).isNotEqualTo(command(List.of("ls"), Map.of(), "root in /a", "/b"));
        assertThat(command(List.of("ls"), Map.of("A", "1", "B", "2"), "root", "/")).isEqualTo(command(List.of("ls"), Map.of("B", "2", "A", "1"), "root", "/"));
    }

    @Test
    void noOtherComponentHasTheSameKey() {
        assertThat(component(Map.of("A", "1, B=2"))).isNotEqualTo(component(Map.of("A", "1", "B", "2")));
    }

    @Test
    void noOtherCopyHasTheSameKey() {
        TemplateFile file = new TemplateFile("f", "c", null, null, null);
        String target = "/a\n" + Json.write(file);
        assertThat(copy(target, Optional.empty())).isNotEqualTo(copy("/a", Optional.empty(), file));
        assertThat(copy("/a", Optional.of("x"))).isNotEqualTo(copy("/a", Optional.empty()));
    }

    @Test
    void noOtherVariablesMakeTheSameBeginning() {
        assertThat(root("env: {A: '1, B=2'}")).isNotEqualTo(root("env: {A: '1', B: '2'}"));
        assertThat(root("workdir: /x\nuser: y")).isNotEqualTo(root("workdir: /x"));
        assertThat(root("env: {A: '1', B: '2'}")).isEqualTo(root("env: {B: '2', A: '1'}"));
    }
}
