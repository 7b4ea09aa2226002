package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
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

    /** Names of networks are in a directory of its run directory, which nobody can write to now. */
    @BeforeEach
    void leaveNoPlace() throws IOException, InterruptedException {
        daemon.stop();
        MountNamespace.inside(daemon.run(), "mount -t tmpfs -o ro none " + daemon.run().resolve("net"));
        daemon.start();
    }

    @AfterEach
    void giveItBack() throws IOException, InterruptedException {
        daemon.stop();
        MountNamespace.inside(daemon.run(), "umount " + daemon.run().resolve("net"));
        daemon.start();
    }

    @Test
    void aCreateIsRefusedAndSaysWhatWorks() throws IOException {
        SandglassException refusal = refused(ErrorCode.RUNTIME_FAILED, () -> daemon.api().create(SandboxRequest.on("container").name("lonely")));
        assertThat(refusal.what()).contains("gets no network").contains("Read-only file system");
        assertThat(refusal.hint()).contains("--network none").contains("`network: none`");
        assertThat(daemon.api().names()).doesNotContain("lonely");
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").network("none"))) {
            assertThat(box.output("echo fine")).isEqualTo("fine");
        }
    }
}
