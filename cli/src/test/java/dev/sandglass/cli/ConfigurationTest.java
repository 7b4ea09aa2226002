package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files, then the environment, then options, in rising order. */
final class ConfigurationTest {
    @TempDir
    Path home;

    @Test
    void theUsersFileIsBelowTheEnvironment() throws IOException {
        write("# mine\nurl: \"http://10.0.0.1:7070\"\napi_key: k\noutput: yaml\n");
        assertThat(under(Map.of())).containsEntry("SANDGLASS_URL", "http://10.0.0.1:7070").containsEntry("SANDGLASS_OUTPUT", "yaml");
        assertThat(under(Map.of("SANDGLASS_OUTPUT", "json"))).containsEntry("SANDGLASS_OUTPUT", "json").containsEntry("SANDGLASS_API_KEY", "k");
        assertThat(under(Map.of("SANDGLASS_DATA_DIR", "/d")))
                .doesNotContainKeys("SANDGLASS_URL", "SANDGLASS_API_KEY")
                .containsEntry("SANDGLASS_OUTPUT", "yaml");
    }

    @Test
    void aNamedFileIsTheOnlyOneAndMustBeThere() throws IOException {
        write("output: yaml\n");
        Path other = Files.writeString(home.resolve("other"), "output: table\n");
        assertThat(under(Map.of("SANDGLASS_CLI_CONFIG", other.toString()))).containsEntry("SANDGLASS_OUTPUT", "table");
        assertThatThrownBy(() -> under(Map.of("SANDGLASS_CLI_CONFIG", "/nowhere"))).hasMessageContaining("/nowhere (expected:");
    }

    @Test
    void whatIsNotUnderstoodIsRefusedWithItsLine() throws IOException {
        write("\nurl: x\nuri: y\n");
        assertThatThrownBy(() -> under(Map.of())).hasMessageContaining("line 3: uri (expected: a line KEY: VALUE with one of url,");
    }

    @Test
    void theOutputOfVerbsFollowsItAndAnOptionWins() throws IOException {
        write("output: yaml\n");
        try (TestDaemon daemon = new TestDaemon(home)) {
            daemon.on("GET /v1/sandboxes", 200, "{\"sandboxes\":[]}")
                    .on("GET /v1/sandboxes/", 404, "{\"code\":\"sandbox_not_found\",\"message\":\"m\",\"hint\":\"h\"}");
            TestConsole console = new TestConsole(daemon).with("HOME", home.toString());
            assertThat(console.run("inspect", "none")).isEqualTo(3);
            assertThat(console.err).startsWith("error:\n  code: ");
            assertThat(console.run("ls", "-o", "table")).isZero();
            assertThat(console.out).startsWith("NAME");
            write("nonsense\n");
            assertThat(console.run("ls")).isEqualTo(2);
        }
    }

    private void write(String text) throws IOException {
        Files.createDirectories(home.resolve(".config/sandglass"));
        Files.writeString(home.resolve(".config/sandglass/cli.yaml"), text);
    }

    private Map<String, String> under(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("HOME", home.toString());
        return Configuration.under(all);
    }
}
