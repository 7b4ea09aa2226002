package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As whom and where commands run goes with a sandbox, its snapshots and its copies, and a request that says otherwise is heard. */
@OnEveryRuntime
class CommandDefaultsTest {
    private static final String WHO_AND_WHERE = "id -un; pwd";

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    CommandDefaultsTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void theyHoldUnlessARequestSaysOtherwise() throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).commands("user", "/var/tmp"))) {
            assertThat(box.info().user()).isEqualTo("user");
            assertThat(box.info().workdir()).isEqualTo("/var/tmp");
            assertThat(box.output(WHO_AND_WHERE)).isEqualTo("user\n/var/tmp");
            assertThat(box.output(Run.shell(WHO_AND_WHERE).as("root").in("/usr"))).isEqualTo("root\n/usr");
            assertThat(Objects.requireNonNull(box.await(box.start(Run.shell("test $(id -un) = user"))).exit()).code()).isZero();
            daemon.kill();
            daemon.start();
            assertThat(box.output(WHO_AND_WHERE)).isEqualTo("user\n/var/tmp");
        }
    }

    @Test
    void theyGoWithSnapshotsAndCopies() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).commands("user", "/var/tmp"))) {
            Snapshot snapshot = daemon.api().capture(box.id(), null);
            assertThat(snapshot.user()).isEqualTo("user");
            Forked forked = daemon.caller().post(box.path() + "/fork", new ForkSandbox(null, null, null, null, null, null, null, null)).as(Forked.class);
            for (Sandbox copy : forked.sandboxes()) {
                try (TestSandbox fork = new TestSandbox(daemon.caller(), copy)) {
                    assertThat(fork.output(WHO_AND_WHERE)).isEqualTo("user\n/var/tmp");
                }
            }
            try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()).commands(null, "/srv"))) {
                assertThat(copy.output(WHO_AND_WHERE)).isEqualTo("user\n/srv");
            }
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    @ParameterizedTest
    @CsvSource({"'',/", "a b,/", "a:b:c,/", "user,relative", "user,''"})
    void whatIsNoneIsRefused(String user, String workdir) {
        refused(ErrorCode.INVALID_REQUEST, () -> daemon.api().create(SandboxRequest.on(runtime).commands(user, workdir)));
    }
}
