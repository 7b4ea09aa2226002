package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SnapshotConfig;
import dev.sandglass.wire.SnapshotConfigList;
import dev.sandglass.wire.SnapshotConfigResources;
import dev.sandglass.wire.SnapshotJob;
import dev.sandglass.wire.SnapshotJobStatus;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Templates in the form that clients of snapshot configurations know. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class SnapshotConfigTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestTemplates templates = new TestTemplates(daemon);
    private final Caller caller = daemon.caller();

    @AfterEach
    void clear() {
        daemon.api().names().stream().filter(name -> name.startsWith("of-")).forEach(daemon.api()::destroy);
        templates.clear();
    }

    private SnapshotJobStatus built(String id) {
        String job = caller.post("/v1/snapshots/" + id + "/build").as(SnapshotJob.class).jobId();
        return Eventually.get(() -> caller.get("/v1/snapshots/builds/" + job).as(SnapshotJobStatus.class), status -> status.endedAt() != null);
    }

    private String output(String name, String command) {
        TestSandbox box = new TestSandbox(caller, caller.post("/v1/sandboxes", SandboxRequest.on("auto").name(name).from("my-snapshot").toWire()).as(Sandbox.class));
        return box.output(command);
    }

    @Test
    void theTemplatesSetupRunsFirstThenTheCustomOneUnderBashAsRoot() {
        templates.create("name: lower\nsetup: echo lower > /opt/order\n");
        SnapshotConfig config = new SnapshotConfig("my-snapshot", "lower", "[[ $(id -u) = 0 ]] && echo upper >> /opt/order", List.of("@npm"), new SnapshotConfigResources(1.0, 512L));
        assertThat(caller.post("/v1/snapshot-configs", config).as(SnapshotConfig.class)).isEqualTo(config);
        refused(ErrorCode.NAME_TAKEN, () -> caller.post("/v1/snapshot-configs", config));
        assertThat(caller.get("/v1/snapshot-configs").as(SnapshotConfigList.class).configs()).containsExactly(config);
        SnapshotJobStatus first = built("my-snapshot");
        assertThat(first.status()).as(first.log()).isEqualTo("succeeded");
        assertThat(output("of-first", "cat /opt/order")).isEqualTo("lower\nupper");
        assertThat(daemon.api().get("of-first").memoryMb()).isEqualTo(512);
        caller.put("/v1/snapshot-configs/my-snapshot", new SnapshotConfig("my-snapshot", "lower", "echo another >> /opt/order", null, null));
        SnapshotJobStatus second = built("my-snapshot");
        assertThat(Objects.requireNonNull(second.snapshot())).isNotEqualTo(first.snapshot());
        assertThat(output("of-second", "cat /opt/order")).isEqualTo("lower\nanother");
        caller.delete("/v1/snapshot-configs/my-snapshot");
        refused(ErrorCode.TEMPLATE_NOT_FOUND, () -> caller.get("/v1/snapshot-configs/my-snapshot"));
        refused(ErrorCode.TEMPLATE_NOT_FOUND, () -> caller.get("/v1/snapshot-configs/lower"));
    }
}
