package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Sandboxes end when their time is over, and not before. */
@OnEveryRuntime
class DeadlineTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final Api api = daemon.api();
    private final String runtime;

    DeadlineTest(String runtime) {
        this.runtime = runtime;
    }

    private void awaitEnd(TestSandbox box) throws IOException {
        Eventually.get(() -> api.names().contains(box.name()), Boolean.FALSE::equals);
        Eventually.get(() -> leftovers(box), Boolean.TRUE::equals);
    }

    private boolean leftovers(TestSandbox box) {
        try {
            return Leftovers.of(daemon).of(box.id()).isEmpty();
        } catch (IOException problem) {
            throw new AssertionError(problem);
        }
    }

    @Test
    void oneStaysForEverUnlessSomethingElseIsSaid() {
        Sandbox info = SharedDaemon.sandbox(runtime).now();
        assertThat(info.timeout()).isNull();
        assertThat(info.timeoutAt()).isNull();
        assertThat(info.hardTtlAt()).isNull();
    }

    @Test
    void itIsDestroyedWhenItsTimeoutIsOver() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime).timeout(2));
        assertThat(box.info().timeout()).isEqualTo(2);
        assertThat(Duration.between(Objects.requireNonNull(box.info().startedAt()), box.info().timeoutAt())).isEqualTo(Duration.ofSeconds(2));
        awaitEnd(box);
        box.close();
    }

    @Test
    void aTimeoutIsMovedAndTakenAway() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime).timeout(600));
        assertThat(api.update(box.id(), Changes.none().timeout(0).toWire()).timeoutAt()).isNull();
        api.update(box.id(), Changes.none().timeout(1).toWire());
        awaitEnd(box);
    }

    @Test
    void aTimeoutWaitsForAStoppedOneAndAHardTtlDoesNot() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime).timeout(600));
        assertThat(box.stop().timeoutAt()).isNull();
        assertThat(api.update(box.id(), Changes.none().timeout(1).toWire()).state()).isEqualTo("stopped");
        awaitEnd(api.create(SandboxRequest.on(runtime).timeout(1))); // its time was over after the stopped one's would have been
        assertThat(box.now().state()).isEqualTo("stopped");
        api.update(box.id(), Changes.none().hardTtl(1).toWire());
        awaitEnd(box);
    }

    @Test
    void deadlinesOutliveTheDaemonWhateverTheWallClockSays() throws IOException, InterruptedException, SQLException {
        TestSandbox soon = api.create(SandboxRequest.on(runtime).timeout(3));
        try (TestSandbox late = api.create(SandboxRequest.on(runtime).timeout(600).hardTtl(900))) {
            daemon.kill();
            // As if the wall clock had been set a year ahead meanwhile: the deadlines' wall times are long over.
            LedgerFile.update(daemon, "UPDATE sandbox SET details = json_set(details, '$.timeout.atMillis', 1000, '$.hardTtl.atMillis', 1000) WHERE id = '" + late.id() + "'");
            daemon.start();
            awaitEnd(soon);
            assertThat(late.output("echo alive")).isEqualTo("alive");
        }
    }

    @Test
    void whatContradictsItselfIsRefused() {
        refused(ErrorCode.INVALID_REQUEST, () -> api.create(SandboxRequest.on(runtime).timeout(9).onTimeout("dance")));
        assertThat(refused(ErrorCode.INVALID_REQUEST, () -> api.create(SandboxRequest.on(runtime).restart("from-checkpoint"))).what()).contains("checkpoint_every");
        refused(ErrorCode.INVALID_REQUEST, () -> api.create(SandboxRequest.on(runtime).checkpoints(60, 0)));
        refused(ErrorCode.INVALID_REQUEST, () -> api.create(SandboxRequest.on(runtime).timeout(60).linger()));
        refused(ErrorCode.INVALID_REQUEST, () -> api.create(SandboxRequest.on(runtime).ttl(60).linger()));
        api.create(SandboxRequest.on(runtime).timeout(60).onTimeout("kill").ttl(0)).close();
    }

    @Test
    void theConfigurationsTimesHoldUnlessOneLingers() throws IOException, InterruptedException {
        daemon.kill();
        daemon.with("SANDGLASS_TIMEOUT", "700").with("SANDGLASS_TTL", "600").with("SANDGLASS_HARD_TTL", "800").start();
        try (TestSandbox plain = api.create(SandboxRequest.on(runtime)); TestSandbox lingering = api.create(SandboxRequest.on(runtime).linger())) {
            assertThat(plain.info().timeout()).isEqualTo(700);
            assertThat(plain.info().ttl()).isEqualTo(600);
            assertThat(plain.info().hardTtl()).isEqualTo(800);
            assertThat(lingering.info().timeout()).isNull();
            assertThat(lingering.info().ttl()).isNull();
            assertThat(lingering.info().hardTtlAt()).isNull();
        } finally {
            daemon.kill();
            daemon.without("SANDGLASS_TIMEOUT").without("SANDGLASS_TTL").without("SANDGLASS_HARD_TTL").start();
        }
    }
}
