package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.route.Entrance;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings that cannot be are refused before the daemon does anything, in two lines that a person can act on. */
@Timeout(300)
class SettingsTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "memory_mb: -5 | memory_mb: -5 (expected: 64 to 16777216)",
        "memory_mb: 1.5 | memory_mb: 1.5 (expected: a whole number)",
        "memory_mb: 9223372036854775807 | memory_mb: 9223372036854775807 (expected: 64 to 16777216)",
        "memory_mb: 99999999999999999999 | memory_mb: 99999999999999999999 (expected: a whole number)",
        "memory_mb: true | memory_mb: true (expected: a whole number)",
        "raise_kernel_counts: 1 | raise_kernel_counts: 1 (expected: true or false)",
        "memory_mb: | memory_mb: null (expected: a text, a number, true or false)",
        "memory_mb: [64] | memory_mb: [64] (expected: a text, a number, true or false)",
        "cpus: 0 | cpus: 0.0 (expected: 0.05 to 4096)",
        "cpus: NaN | cpus: NaN (expected: 0.05 to 4096)",
        "disk_mb: 0 | disk_mb: 0 (expected: 16 to 1073741824)",
        "max_processes: 1 | max_processes: 1 (expected: 16 to 4194304)",
        "runtime: firecracker | runtime: firecracker (expected: auto, gvisor, container)",
        "security: none | security: none (expected: strict or standard)",
        "network: all | network: all (expected: none, open or package-registries",
        "pool: zfs | pool: zfs (expected: btrfs, btrfs-loop, reflink or copy)",
        "pool_size_mb: -1 | pool_size_mb: -1 (expected: 128 to 1073741824)",
        "pool_memory_mb: -1 | pool_memory_mb: -1 (expected: 0 to 1073741824)",
        "snapshot_quota_mb: -1 | snapshot_quota_mb: -1 (expected: 0 to 1073741824)",
        "listen: 7070 | listen: 7070 (expected: ADDRESS:PORT",
        "listen: '127.0.0.1:70700' | listen: 127.0.0.1:70700 (expected: ADDRESS:PORT",
        "listen: '300.0.0.1:7070' | listen: 300.0.0.1:7070 (expected: ADDRESS:PORT",
        "host_names: 'a b/c' | host_names: a b/c (expected: names",
        "route_url: apps.example.org | route_url: apps.example.org (expected: https://DOMAIN",
        "route_url: 'https://apps.example.org/below' | route_url: https://apps.example.org/below (expected: https://DOMAIN",
        "route_url: 'https://apps.example.org:99999' | (expected: https://DOMAIN",
        "memory: 512 | memory (expected: one of [builtin_templates, cpus, disk_mb,",
        "builtin_templates: [nod] | There is no built-in template nod (expected: node?)",
        "builtinTemplates: [{name: python, version: 3}] | version: 3 (expected: nothing for python",
        "just words | expected lines of `name: value`",
        "a: [ | The settings cannot be read"
    })
    void aValueThatCannotBeIsNamed(String line, String message) throws IOException {
        Path file = Files.writeString(directory.resolve("settings.yaml"), line + "\n");
        assertThatThrownBy(() -> Configuration.read(Map.of("SANDGLASS_CONFIG", file.toString())))
                .isInstanceOfSatisfying(SandglassException.class, problem -> {
                    assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
                    assertThat(problem.what()).contains(message).doesNotContain("\n");
                    assertThat(problem.hint()).contains(file.toString());
                });
    }

    @Test
    void theOwnerSaysWhichTemplatesAreBroughtAlong() throws IOException {
        assertThat(Configuration.read(Map.of()).builtIns()).extracting(Template::name).contains("python", "node", "hermes");
        Path file = Files.writeString(directory.resolve("settings.yaml"), "builtinTemplates:\n  - python\n  - {name: node, version: 24.21.0, pool: {minIdle: 1, maxIdle: 2}}\n");
        List<Template> chosen = Configuration.read(Map.of("SANDGLASS_CONFIG", file.toString())).builtIns();
        assertThat(chosen).extracting(Template::name).containsExactly("python", "node");
        assertThat(chosen.getLast().variables()).containsEntry("NODE_VERSION", "24.21.0");
        Files.writeString(file, "builtin_templates: [{name: python, image: ground}, {name: node, image: 'registry.example.org/team/node:22'}, {name: fullstack, image: minimal}]\n");
        chosen = Configuration.read(Map.of("SANDGLASS_CONFIG", file.toString())).builtIns();
        assertThat(chosen).extracting(Template::from).containsExactly("ground", null, "minimal");
        assertThat(chosen).extracting(Template::image).containsExactly(null, "registry.example.org/team/node:22", null);
        Files.writeString(file, "builtin_templates: []\n");
        assertThat(Configuration.read(Map.of("SANDGLASS_CONFIG", file.toString())).builtIns()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'', open", "open, open", "package-registries, package-registries"})
    void aSandboxThatDoesNotSayHasANetwork(String said, String preset) {
        Map<String, String> environment = said.isEmpty() ? Map.of() : Map.of("SANDGLASS_NETWORK", said);
        assertThat(Configuration.read(environment).defaults().network()).contains(Policy.preset(preset));
    }

    @Test
    void anInstallationCanBeClosed() {
        assertThat(Configuration.read(Map.of("SANDGLASS_NETWORK", "none")).defaults().network()).isEmpty();
    }

    @Test
    void theEnvironmentWinsOverTheFile() throws IOException {
        Path file = Files.writeString(directory.resolve("settings.yaml"), """
                listen: '[::1]:0'
                memory_mb: 128
                cpus: 0.5
                host_names: [box.example, other.example]
                """);
        Configuration read = Configuration.read(Map.of("SANDGLASS_CONFIG", file.toString(), "SANDGLASS_MEMORY_MB", "256"));
        assertThat(read.defaults().limits().memoryBytes()).isEqualTo(256L << 20);
        assertThat(read.defaults().limits().cpus()).isEqualTo(0.5);
        assertThat(read.http().hostNames()).containsExactlyInAnyOrder("box.example", "other.example");
        assertThat(read.http().host()).isEqualTo("[::1]");
    }

    @Test
    void aProxyInFrontOfRoutesSaysHowTheyAreReached() throws IOException {
        Path file = Files.writeString(directory.resolve("settings.yaml"), "route_url: https://Apps.example.org\n");
        assertThat(Configuration.read(Map.of("SANDGLASS_CONFIG", file.toString())).routes().entrance(7071)).isEqualTo(new Entrance("https", "apps.example.org", 443, "apps.example.org"));
        assertThat(Configuration.read(Map.of("SANDGLASS_ROUTE_URL", "http://one.example:8080", "SANDGLASS_ROUTE_DOMAIN", "two.example")).routes().entrance(7071))
                .isEqualTo(new Entrance("http", "one.example", 8080, "two.example"));
        assertThat(Configuration.read(Map.of()).routes().entrance(7071)).isEqualTo(Entrance.STANDARD);
    }

    @Test
    void privateNetworksAreOpenedByTheOwnerAlone() throws IOException {
        assertThat(Configuration.read(Map.of()).outside().opened()).isEmpty();
        Path file = Files.writeString(directory.resolve("settings.yaml"), "network_private: [10.20.0.0/16, 192.168.7.9]\n");
        assertThat(Configuration.read(Map.of("SANDGLASS_CONFIG", file.toString())).outside().opened()).extracting(Object::toString).containsExactly("10.20.0.0/16", "192.168.7.9");
        for (String wrong : List.of("0.0.0.0/0", "127.0.0.0/8", "169.254.169.254", "10.0.0.0/7", "10.20.0.1/16", "fd00::/8", "mirror")) {
            assertThatThrownBy(() -> Configuration.read(Map.of("SANDGLASS_NETWORK_PRIVATE", wrong))).as(wrong).isInstanceOf(SandglassException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SANDGLASS_MEMORY_MB=-5", "SANDGLASS_LISTEN=nowhere", "SANDGLASS_RUNTIME=best", "SANDGLASS_CONFIG=/nowhere"})
    void theDaemonRefusesToStartInTwoLines(String setting) throws IOException, InterruptedException {
        List<String> parts = List.of(setting.split("=", 2));
        assertThat(lastWords(parts.getFirst(), parts.getLast()))
                .satisfiesExactly(first -> assertThat(first).startsWith("error: "), second -> assertThat(second).startsWith("hint: Correct "));
        assertThat(directory.resolve("data/token")).as("nothing was begun").doesNotExist();
    }

    @Test
    void aPortThatIsTakenIsSaidInTwoLines() throws IOException, InterruptedException {
        try (ServerSocket taken = new ServerSocket(0)) {
            List<String> words = lastWords("SANDGLASS_LISTEN", "127.0.0.1:" + taken.getLocalPort());
            assertThat(words.subList(words.size() - 2, words.size()))
                    .satisfiesExactly(
                            first -> assertThat(first).startsWith("error: listen: 127.0.0.1:" + taken.getLocalPort()),
                            second -> assertThat(second).startsWith("hint: "));
            assertThat(words).noneMatch(line -> line.startsWith("\tat "));
        }
    }

    /** What a daemon that cannot start says. */
    private List<String> lastWords(String name, String value) throws IOException, InterruptedException {
        Path run = Path.of("/run/sandglass-settings-" + ProcessHandle.current().pid());
        try (TestDaemon daemon = new TestDaemon(directory.resolve("data"), run).with("SANDGLASS_POOL", "copy").with(name, value)) {
            Files.deleteIfExists(daemon.log());
            daemon.launch();
            assertThat(daemon.awaitEnd()).isEqualTo(1);
            List<String> said = Files.readAllLines(daemon.log());
            Files.delete(daemon.log());
            return said;
        }
    }
}
