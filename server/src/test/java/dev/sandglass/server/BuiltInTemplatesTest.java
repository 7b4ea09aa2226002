package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandglass.engine.network.RegistryKind;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.TemplateStatus;
import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The templates that are brought along are really built, from the host's registries, and used. What the host cannot reach is skipped. */
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
            claude-code      | claude --version; jq --version; rg --version                                                    | (?s)[0-9.]+ \\(Claude Code\\)\\njq.*ripgrep.*
            openclaw         | openclaw --version; node --version                                                               | (?s)OpenClaw [0-9].*v24.*
            code-interpreter | MPLBACKEND=Agg python3 -c 'import ipykernel, pandas, matplotlib.pyplot as p; p.plot([1]); print(pandas.Series([40, 2]).sum())' | 42
            """)
    void itIsBuiltAndUsed(String name, String command, String expected) throws IOException, InterruptedException {
        PackagesTest.reached(RegistryKind.APT);
        PackagesTest.reached(RegistryKind.NPM);
        TemplateStatus before = templates.get(name);
        assertThat(before.domains()).as("what it reaches").isNotEmpty();
        Build build = templates.built(name);
        assertThat(build.version()).isEqualTo(1);
        for (int copy = 1; copy <= 2; copy++) {
            Sandbox made = daemon.caller().post("/v1/sandboxes", SandboxRequest.on("auto").name("of-" + name + "-" + copy).memoryMb(1024).from(name).toWire()).as(Sandbox.class);
            assertThat(new TestSandbox(daemon.caller(), made).output(command)).matches(expected.replace("\\n", "\n"));
        }
    }

    @Test
    void dockerSaysThatItsEngineCannotRunHere() throws IOException, InterruptedException {
        PackagesTest.reached(RegistryKind.APT);
        Build build = templates.build("docker");
        assumeTrue(build.error() != null, "The Docker engine runs here.");
        assertThat(TestTemplates.error(build)).isEqualTo("build_failed");
        assertThat(Objects.requireNonNull(build.error()).message()).contains("The Docker engine cannot run in this runtime");
        assertThat(daemon.api().names()).noneMatch(each -> each.startsWith("build-"));
    }
}
