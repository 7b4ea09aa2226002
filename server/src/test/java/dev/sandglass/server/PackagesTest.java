package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandglass.engine.network.Endpoint;
import dev.sandglass.engine.network.RegistryKind;
import dev.sandglass.network.registry.HostRegistries;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
        Process curl = new ProcessBuilder("curl", "-sS", "-m", "60", "-o", "/dev/null", url).redirectErrorStream(true).start();
        new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return curl.waitFor() == 0;
    }

    @Test
    void aptInstallsAPackage() throws IOException, InterruptedException {
        reached(RegistryKind.APT);
        try (TestSandbox box = allowed("allow @apt")) {
            String said = box.output("{ sudo apt-get -o Acquire::Retries=3 update && sudo apt-get -o Acquire::Retries=3 install -y --no-install-recommends hello; } 2>&1 || true; hello || true");
            assertThat(said).endsWith("Hello, world!");
        }
    }

    @Test
    void npmsRegistryAnswersOverTls() throws IOException, InterruptedException {
        answers(RegistryKind.NPM);
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
