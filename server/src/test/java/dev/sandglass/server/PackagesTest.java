package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandglass.engine.network.Endpoint;
import dev.sandglass.engine.network.RegistryKind;
import dev.sandglass.network.registry.HostRegistries;
import dev.sandglass.wire.NetworkAttempt;
import dev.sandglass.wire.NetworkAttemptList;
import dev.sandglass.wire.NetworkPolicy;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Sandboxes get packages from where the host gets its own. What the host itself cannot reach is skipped. */
@OnEveryRuntime
class PackagesTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    PackagesTest(String runtime) {
        this.runtime = runtime;
    }

    private TestSandbox allowed(String... rules) {
        return daemon.api().create(SandboxRequest.on(runtime).memoryMb(512).network(null, rules));
    }

    /** The URLs of the host's registries of a kind, if it reaches all of them. */
    static List<String> reached(RegistryKind kind) throws IOException, InterruptedException {
        List<String> urls = HostRegistries.ofThisHost().apply(kind).stream().map(PackagesTest::url).toList();
        assumeFalse(urls.isEmpty(), "The host has no " + kind + ".");
        for (String url : urls) {
            assumeTrue(isReached(url), "The host does not reach its " + kind + ".");
        }
        return urls;
    }

    private static String url(Endpoint place) {
        return (place.port() == 443 ? "https://" : "http://") + place.host() + ":" + place.port() + "/";
    }

    private static boolean isReached(String url) throws IOException, InterruptedException {
        return isDone("curl", "-sS", "-m", "60", "-o", "/dev/null", url);
    }

    /** Whether the host has that program, and it works. */
    private static boolean isDone(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    @Test
    void aptInstallsAPackage() throws IOException, InterruptedException {
        reached(RegistryKind.APT);
        try (TestSandbox box = allowed("allow @apt")) {
            String said = box.output("{ sudo apt-get -o Acquire::Retries=3 update && sudo apt-get -o Acquire::Retries=3 install -y --no-install-recommends hello; } 2>&1 || true; hello || true");
            assertThat(said).endsWith("Hello, world!");
        }
    }

    /** With the host's own npm, passed through and looked into. */
    @Test
    void npmInstallsAPackage() throws IOException, InterruptedException {
        List<String> urls = reached(RegistryKind.NPM);
        assumeTrue(isDone("npm", "view", "is-number", "version"), "The host has no npm that finds packages.");
        Path node = Path.of(said("node", "-p", "process.execPath"));
        Path npm = Path.of(said("npm", "root", "-g"), "npm");
        String registry = said("npm", "config", "get", "registry");
        try (TestSandbox box = allowed("allow @npm")) {
            Process tar = new ProcessBuilder("tar", "-C", "/", "-c", "." + node, "." + npm).start();
            box.files().write("/tmp/host.tar", "", BodyPublishers.ofInputStream(tar::getInputStream));
            box.output("mkdir /tmp/host && tar -xf /tmp/host.tar -C /tmp/host && rm /tmp/host.tar");
            String install = "PATH=/tmp/host" + node.getParent() + ":$PATH; mkdir -p %1$s && cd %1$s && node /tmp/host" + npm + "/bin/npm-cli.js install --no-audit --no-fund --no-update-notifier --cache %1$s/cache --registry " + registry
                    + " is-number 2>&1 && node -p 'require(\"is-number\")(7)' || true";
            assertThat(box.output(install.formatted("/workspace/passed"))).as("passed through").endsWith("true");
            List<String> rules = urls.stream().map(URI::create).map(each -> "allow " + each.getHost() + ":" + each.getPort() + " GET").toList();
            daemon.caller().put(box.path() + "/policy", new NetworkPolicy(null, rules, null));
            assertThat(box.output(install.formatted("/workspace/seen"))).as("looked into").endsWith("true");
            Eventually.get(() -> attempts(box), all -> all.stream().anyMatch(each -> Objects.equals(each.method(), "GET") && String.valueOf(each.path()).contains("is-number")));
        }
    }

    private List<NetworkAttempt> attempts(TestSandbox box) {
        return daemon.caller().get(box.path() + "/policy/log").as(NetworkAttemptList.class).attempts();
    }

    /** What a program of the host prints. */
    private static String said(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    @Test
    void mavensRepositoryAnswersOverTls() throws IOException, InterruptedException {
        answers(RegistryKind.MAVEN);
    }

    /** Whatever it says: its certificate was checked inside. */
    private void answers(RegistryKind kind) throws IOException, InterruptedException {
        List<String> urls = reached(kind);
        try (TestSandbox box = allowed("allow " + kind)) {
            for (String url : urls) {
                assertThat(box.output("curl -sS -m 100 -o /dev/null " + url + " 2>&1 && echo reached || true")).as(url).isEqualTo("reached");
            }
        }
    }

    @Test
    void pipDownloadsAPackage() throws IOException, InterruptedException {
        reached(RegistryKind.PIP);
        try (TestSandbox box = allowed("allow @pip")) {
            assertThat(box.output("cd /tmp && pip download -q --no-deps six 2>&1 || true; ls /tmp")).contains("six-");
        }
    }
}
