package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sandboxes that nobody looks after are paused, woken, captured and brought back as they were told to be. */
@ExtendWith(SharedDaemon.class)
@Timeout(600)
class LifecycleTest {
    private static final int AT_ONCE = 16;

    private final TestDaemon daemon = SharedDaemon.daemon();

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void aTimeoutCanPause(String runtime) {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).timeout(600).onTimeout("pause"))) {
            assertThat(box.info().onTimeout()).isEqualTo("pause");
            assertThat(box.info().warnings().isEmpty()).as("processes are kept").isEqualTo(runtime.equals("gvisor"));
            box.output("echo kept > /workspace/file");
            daemon.api().update(box.id(), Changes.none().timeout(1).toWire());
            awaitState(box, "paused");
            daemon.api().update(box.id(), Changes.none().timeout(600).toWire());
            assertThat(box.resume(false).state()).isEqualTo("running");
            assertThat(box.output("cat /workspace/file")).isEqualTo("kept");
        }
    }

    @Test
    void whatNobodyUsesRestsAndACommandKeepsItAwake() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).ttl(2));
                TestSandbox busy = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256))) {
            Command working = busy.start(Run.shell("while [ ! -e /workspace/done ]; do sleep 0.1; done"));
            daemon.api().update(busy.id(), Changes.none().ttl(2).toWire());
            awaitState(box, "paused");
            refused(ErrorCode.SANDBOX_NOT_RUNNING, () -> box.output("true"));
            box.resume(false);
            awaitState(box, "paused"); // it had time to rest twice
            assertThat(busy.now().state()).isEqualTo("running");
            assertThat(busy.command(working.id()).state()).isEqualTo("running");
            busy.output("touch /workspace/done");
            awaitState(busy, "paused");
        }
    }

    @Test
    void useWakesItOnce() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).autoResume())) {
            Command reading = box.start(Run.shell("word=remembered; read -r line; echo $word $line").withInput());
            box.pause(false);
            List<String> all = AtOnce.all(Collections.nCopies(AT_ONCE, () -> box.output("cat /run/sandglass/generation")));
            assertThat(all).containsOnly("2");
            box.pause(false);
            box.files().write("/workspace/file", "written");
            assertThat(box.output("cat /workspace/file /run/sandglass/generation")).isEqualTo("written3");
            box.pause(false);
            box.input(reading, "on\n", true);
            box.await(reading);
            assertThat(box.said(reading)).contains("remembered on");
        }
    }

    @Test
    void refreshLetsTimesBeginAnew() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").timeout(600).hardTtl(700))) {
            Sandbox later = daemon.caller().post(box.path() + "/refresh").as(Sandbox.class);
            assertThat(later.timeoutAt()).isAfter(box.info().timeoutAt());
            assertThat(later.hardTtlAt()).isAfter(box.info().hardTtlAt());
        }
    }

    @Test
    void checkpointsAreTakenKeptAndBringItBack() throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api()
                .create(SandboxRequest.on("gvisor").memoryMb(256).checkpoints(2, 2).restart("from-checkpoint"))) {
            Command counting = box.start(Run.shell("n=0; while :; do n=$((n+1)); echo $n > /workspace/new; mv /workspace/new /workspace/n; sleep 0.05; done"));
            Eventually.get(() -> checkpoints().stream().map(Snapshot::id).toList(), ids -> ids.size() == 2);
            String first = checkpoints().getFirst().id();
            Eventually.get(() -> checkpoints().stream().map(Snapshot::id).toList(), ids -> ids.size() == 2 && !ids.contains(first));
            assertThat(daemon.api().snapshots()).isEmpty();
            Eventually.get(() -> box.now().startedAt(), start -> start != null && start.plusSeconds(11).isBefore(Instant.now()));

            long before = Long.parseLong(box.output("cat /workspace/n"));
            long pid = Objects.requireNonNull(box.now().pid());
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            Eventually.get(() -> box.now(), now -> now.state().equals("running") && now.pid() != null && now.pid() != pid);
            assertThat(box.command(counting.id()).state()).isEqualTo("running");
            long after = Long.parseLong(box.output("cat /workspace/n"));
            assertThat(after).as("not from the beginning").isGreaterThan(1);
            Eventually.get(() -> Long.parseLong(box.output("cat /workspace/n")), n -> n > Math.min(before, after));
        }
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    private List<Snapshot> checkpoints() {
        return daemon.api().allSnapshots().stream().filter(snapshot -> snapshot.purpose().equals("checkpoint")).toList();
    }

    private static void awaitState(TestSandbox box, String state) {
        Eventually.get(() -> box.now().state(), state::equals);
    }
}
