package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandglass.engine.network.RegistryKind;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateInclusion;
import dev.sandglass.wire.TemplatePool;
import dev.sandglass.wire.TemplateStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The templates that are brought along are really built, from the host's registries, and used; those of agents where their pages are tried. What the host cannot reach is skipped. */
@ExtendWith(SharedDaemon.class)
@Timeout(1800)
class BuiltInTemplatesTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestTemplates templates = new TestTemplates(daemon);

    @AfterEach
    void clear() {
        daemon.api().names().stream().filter(name -> name.startsWith("of-")).forEach(daemon.api()::destroy);
        templates.clear();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            minimal          | git --version; curl --version; ssh -V 2>&1                                                     | (?s)git version.*curl.*OpenSSH.*
            python           | python3 -m venv /tmp/v && /tmp/v/bin/python -c 'print(6 * 7)' && pip --version                  | (?s)42\\npip.*
            node             | node -p 'process.versions.node.split(".")[0]'; npm --version                                    | (?s)22\\n10.*
            code-interpreter | MPLBACKEND=Agg python3 -c 'import ipykernel, pandas, matplotlib.pyplot as p; p.plot([1]); print(pandas.Series([40, 2]).sum())' | 42
            """)
    void itIsBuiltAndUsed(String name, String command, String expected) throws IOException, InterruptedException {
        PackagesTest.reached(RegistryKind.APT);
        PackagesTest.reached(RegistryKind.NPM);
        TemplateStatus before = templates.get(name);
        assertThat(before.domains()).as("what it reaches").isNotEmpty();
        Build build = templates.built(name);
        assertThat(build.version()).isEqualTo(1);
        for (String runtime : List.of("container", "gvisor")) {
            Sandbox made = daemon.caller().post("/v1/sandboxes", SandboxRequest.on(runtime).name("of-" + name + "-" + runtime).memoryMb(1024).from(name).toWire()).as(Sandbox.class);
            assertThat(new TestSandbox(daemon.caller(), made).output(command)).matches(expected.replace("\\n", "\n"));
        }
    }

    /** All of {@code fullstack} but Docker, on a ground of the owner's own. */
    @Test
    void theOwnersChoiceIsWhatIsBuilt(@TempDir Path directory) throws IOException, InterruptedException {
        PackagesTest.reached(RegistryKind.APT);
        PackagesTest.reached(RegistryKind.NPM);
        templates.create("name: ground\nsetup: echo mine > /opt/ground\n");
        Path settings = Files.writeString(directory.resolve("settings.yaml"), "builtin_templates:\n  - minimal\n  - {name: fullstack, version: 24.21.0, image: ground, pool: {min_idle: 1, max_idle: 2}}\n");
        restart(() -> daemon.with("SANDGLASS_CONFIG", settings.toString()));
        try {
            assertThat(templates.list()).filteredOn(each -> each.origin().equals("builtin")).extracting(TemplateStatus::name).containsExactly("fullstack", "minimal");
            Template recipe = Objects.requireNonNull(templates.get("fullstack").recipe());
            assertThat(recipe.pool()).isEqualTo(new TemplatePool(1L, 2L, null));
            assertThat(templates.get("fullstack").includes()).contains(new TemplateInclusion("nodejs", Map.of("NODE_VERSION", "24.21.0", "NPM_VERSION", "10.9.9")), new TemplateInclusion("bun", Map.of("BUN_VERSION", "1.4.4")));
            templates.built("fullstack");
            Sandbox made = daemon.caller().post("/v1/sandboxes", SandboxRequest.on("auto").name("of-fullstack").memoryMb(1024).from("fullstack").toWire()).as(Sandbox.class);
            assertThat(new TestSandbox(daemon.caller(), made).output("cat /opt/ground; node --version; bun -e 'console.log(6 * 7)'; cc --version > /dev/null && jq -n 1")).isEqualTo("mine\nv24.21.0\n42\n1");
        } finally {
            clear();
            restart(() -> daemon.without("SANDGLASS_CONFIG"));
        }
    }

    private void restart(Runnable change) throws IOException, InterruptedException {
        daemon.stop();
        change.run();
        daemon.start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"docker", "fullstack"})
    void dockerSaysBeforeItFetchesAnythingThatItsEngineCannotRunHere(String name) {
        Build build = templates.build(name);
        assumeTrue(build.error() != null, "The Docker engine runs here.");
        assertThat(TestTemplates.error(build)).isEqualTo("build_failed");
        assertThat(Objects.requireNonNull(build.error()).message()).contains("The Docker engine cannot run in this runtime");
        assertThat(templates.log(build.id())).doesNotContain("apt", "Get:");
        assertThat(daemon.api().names()).noneMatch(each -> each.startsWith("build-"));
    }
}
