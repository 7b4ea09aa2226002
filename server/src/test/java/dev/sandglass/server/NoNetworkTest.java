package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.linux.SearchPath;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Where no network can be made nobody gets less than was asked for without being told. */
@DefaultNetwork
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class NoNetworkTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final Path filter = SearchPath.SYSTEM.find("nft").orElseThrow();

    /** The daemon's own mount namespace has a packet filter that does not run, and no network that was made before. */
    @BeforeEach
    void breakTheFilter() throws IOException, InterruptedException {
        daemon.stop();
        MountNamespace.inside(daemon.run(), "mount --bind /dev/null " + filter);
        MountNamespace.inside(daemon.run(), "cd " + daemon.run() + "/net; for each in ready-*/*; do [ ! -e $each ] || umount $each; done; rm -rf ready-*");
        daemon.start();
    }

    @AfterEach
    void mendTheFilter() throws IOException {
        MountNamespace.inside(daemon.run(), "umount " + filter);
    }

    @Test
    void aCreateIsRefusedAndSaysWhatWorks() throws IOException {
        SandglassException refusal = refused(ErrorCode.RUNTIME_FAILED, () -> daemon.api().create(SandboxRequest.on("container").name("lonely")));
        assertThat(refusal.what()).contains("gets no network").contains("nft");
        assertThat(refusal.hint()).contains("--network none").contains("`network: none`");
        assertThat(daemon.api().names()).doesNotContain("lonely");
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").network("none"))) {
            assertThat(box.output("echo fine")).isEqualTo("fine");
        }
    }
}
