package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildTemplate;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The daemon dies while a template is built: the build has failed, nothing is left of it, and the next one works. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class BuildSurvivalTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestTemplates templates = new TestTemplates(daemon);

    @AfterEach
    void clear() throws IOException, InterruptedException {
        daemon.revive();
        templates.clear();
    }

    @Test
    void aBuildThatWasCutOffHasFailed() throws IOException, InterruptedException {
        templates.create("name: cut\nsetup: echo begun; sleep 600\n");
        Build begun = templates.begin("cut", new BuildTemplate(null, null));
        Eventually.get(() -> templates.log(begun.id()), log -> log.contains("begun"));
        daemon.kill();
        daemon.start();
        Build cut = daemon.caller().get("/v1/builds/" + begun.id()).as(Build.class);
        assertThat(cut.state()).isEqualTo("failed");
        assertThat(TestTemplates.error(cut)).isEqualTo("operation_interrupted");
        assertThat(daemon.api().names()).noneMatch(name -> name.startsWith("build-"));
        assertThat(daemon.api().allSnapshots()).isEmpty();
        assertThat(templates.get("cut").state()).isEqualTo("new");
    }

    @ParameterizedTest
    @ValueSource(strings = {"BUILD_CAPTURED", "BUILD_PUBLISHED", "SNAPSHOT_TAKEN"})
    void theNameStandsForAWholeSnapshotOrForNone(String step) throws IOException, InterruptedException {
        templates.create("name: cut\nsetup: echo made > /opt/made\n");
        daemon.mortalAt(step);
        templates.begin("cut", new BuildTemplate(null, null));
        daemon.awaitEnd();
        daemon.disarmed().start();
        assertThat(daemon.api().names()).noneMatch(name -> name.startsWith("build-"));
        boolean published = step.equals("BUILD_PUBLISHED");
        assertThat(templates.get("cut").state()).isEqualTo(published ? "ready" : "new");
        assertThat(daemon.api().snapshots()).hasSize(published ? 1 : 0);
        Build next = templates.built("cut");
        Snapshot made = daemon.api().verify(Objects.requireNonNull(next.snapshot()));
        assertThat(made.name()).isEqualTo("cut");
    }
}
