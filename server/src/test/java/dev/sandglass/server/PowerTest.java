package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A sandbox is stopped and started again: its processes go, its disk and all that it is stay. */
@DefaultNetwork
@OnEveryRuntime
class PowerTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final Api api = daemon.api();
    private final String runtime;

    PowerTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void whatItIsAndItsDiskAreKeptAndNothingElseIsLeftWhileItIsStopped() throws IOException {
        SandboxRequest request = SandboxRequest.on(runtime).name("kept").memoryMb(256).env(Map.of("A", "b")).labels(Map.of("c", "d"));
        try (TestSandbox box = api.create(request)) {
            box.output("echo mine > /workspace/file; echo more > /etc/motd; touch /dev/shm/gone");
            Sandbox stopped = box.stop();
            assertThat(stopped.state()).isEqualTo("stopped");
            assertThat(stopped.reason()).isEqualTo("stop");
            assertThat(stopped.pid()).isNull();
            assertThat(box.now()).isEqualTo(stopped);
            assertThat(kinds(Leftovers.of(daemon).of(box.id()))).containsExactlyInAnyOrder("tree", "identity");
            assertThat(refused(ErrorCode.SANDBOX_NOT_RUNNING, () -> box.output("true")).hint()).contains("sandglass start kept");

            Sandbox again = box.powerOn();
            assertThat(again.state()).isEqualTo("running");
            assertThat(List.of(again.id(), again.name(), again.memoryMb(), again.env(), again.labels()))
                    .isEqualTo(List.of(box.id(), "kept", 256L, Map.of("A", "b"), Map.of("c", "d")));
            assertThat(box.output("cat /workspace/file /etc/motd; echo $A; hostname; ls /dev/shm")).isEqualTo("mine\nmore\nb\nkept");
        }
    }

    private static Set<String> kinds(Set<String> lines) {
        return lines.stream().map(line -> line.substring(0, line.indexOf(" of "))).collect(Collectors.toSet());
    }

    @Test
    void commandsAreAskedToEndAndTellHowTheyDid() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime))) {
            // One request starts and waits: once the file is there, the wait is too.
            Run polite = Run.of("bash", "-c", "trap 'echo bye > /workspace/bye; exit 3' TERM; touch /workspace/on; while :; do sleep 0.05; done");
            CompletableFuture<CommandResult> waiting = CompletableFuture.supplyAsync(() -> box.run(polite));
            Command deaf = box.start(Run.of("bash", "-c", "trap '' TERM; touch /workspace/off; while :; do sleep 0.05; done"));
            Eventually.get(() -> box.run(Run.shell("ls /workspace/on /workspace/off")).exit().code(), Integer.valueOf(0)::equals);
            assertThat(deaf.state()).isEqualTo("running");
            box.stop(1000);
            assertThat(waiting.join().exit().code()).isEqualTo(3);
            box.powerOn();
            assertThat(box.output("cat /workspace/bye")).isEqualTo("bye");
            assertThat(box.commands()).isEmpty();
        }
    }

    @Test
    void doneTwiceItIsDoneOnce() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime))) {
            assertThat(box.powerOn()).isEqualTo(box.now());
            Sandbox stopped = box.stop();
            assertThat(box.stop()).isEqualTo(stopped);
            Sandbox started = box.powerOn();
            assertThat(box.powerOn()).isEqualTo(started);
            assertThat(started.pid()).isNotEqualTo(box.info().pid());
        }
    }

    @Test
    void oneThatFailedStartsAgain() throws IOException {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime))) {
            box.output("echo kept > /workspace/file; sync");
            Processes.kill(box.info().pid());
            Eventually.get(() -> box.now().state(), "failed"::equals);
            assertThat(box.stop().state()).as("there is nothing to stop").isEqualTo("failed");
            assertThat(box.powerOn().state()).isEqualTo("running");
            assertThat(box.output("cat /workspace/file")).isEqualTo("kept");
        }
    }

    @Test
    void stoppedOnesOutliveTheDaemonAndTheHost() throws IOException, InterruptedException, SQLException {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime)); TestSandbox cut = api.create(SandboxRequest.on(runtime))) {
            box.stop();
            daemon.kill();
            LedgerFile.update(daemon, "UPDATE sandbox SET boot_id = 'another' WHERE id = '" + cut.id() + "'");
            daemon.start();
            assertThat(box.now().state()).isEqualTo("stopped");
            assertThat(cut.now().reason()).isEqualTo("reboot");
            assertThat(List.of(box.powerOn().state(), cut.powerOn().state())).containsOnly("running");
            assertThat(box.output("echo works") + cut.output("echo works")).isEqualTo("worksworks");
        }
    }

    @Test
    void aDestroyDoesNotWaitForTheGrace() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime));
        box.start(Run.of("bash", "-c", "trap '' TERM; touch /workspace/off; while :; do sleep 0.05; done"));
        Eventually.get(() -> box.run(Run.shell("ls /workspace/off")).exit().code(), Integer.valueOf(0)::equals);
        CompletableFuture<Void> stop = CompletableFuture.runAsync(() -> box.stop(600_000)).exceptionally(_ -> null);
        Eventually.get(() -> box.now().state(), "stopping"::equals);
        box.close();
        stop.join();
        assertThat(Leftovers.of(daemon).of(box.id())).isEmpty();
    }

    /** What the host mounts over or looks at in the tree may be links now: they lead nowhere. */
    @Test
    void aTreeThatWasMadeHostileStartsWithoutHarm() throws IOException {
        TestSandbox box = api.create(SandboxRequest.on(runtime).security("standard"));
        box.output("ln -sf /root/leak /etc/hostname; ln -sf / /etc/hosts; ln -sfn / /var/run");
        box.stop();
        assertThat(box.powerOn().state()).isEqualTo("running");
        assertThat(box.output("readlink /etc/hostname /etc/hosts")).isEqualTo("/root/leak\n/");
        assertThat(box.output("hostname; cat /run/sandglass/id")).isEqualTo(box.name() + "\n" + box.id());
        box.close();
        assertThat(Leftovers.of(daemon).of(box.id())).isEmpty();
    }
}
