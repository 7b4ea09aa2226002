package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.RewindSandbox;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sandboxes rest with all that runs in them, go on where they were, and are turned back in place. */
@ExtendWith(SharedDaemon.class)
@Timeout(600)
class PauseTest {
    private static final int CYCLES = Soak.on() ? 50 : 4;
    private static final int AT_ONCE = 8;
    private static final String COUNTER =
            """
            import os, time
            n = 0
            while True:
                n += 1
                open('/workspace/new', 'w').write(str(n))
                os.rename('/workspace/new', '/workspace/n')
                time.sleep(0.02)
            """;

    private final TestDaemon daemon = SharedDaemon.daemon();

    @Test
    void processesGoOnWhereTheyWere() {
        try (TestSandbox box = gvisor()) {
            Command counting = box.start(Run.python(COUNTER));
            awaitMore(box, 0);
            for (int i = 0; i < CYCLES; i++) {
                Sandbox paused = box.pause(false);
                assertThat(paused.state()).isEqualTo("paused");
                assertThat(paused.pid()).isNull();
                assertThat(box.pause(false).state()).as("paused twice").isEqualTo("paused");
                assertThat(refused(ErrorCode.SANDBOX_NOT_RUNNING, () -> box.output("true")).hint()).contains("resume");
                assertThat(box.resume(false).state()).isEqualTo("running");
                long now = number(box);
                awaitMore(box, now);
                assertThat(box.command(counting.id()).state()).isEqualTo("running");
                assertThat(box.output("cat /run/sandglass/generation")).isEqualTo(String.valueOf(i + 2));
            }
            assertThat(box.now().startedAt()).as("it only stood still").isEqualTo(box.info().startedAt());
            assertThat(daemon.api().allSnapshots()).isEmpty();
        }
    }

    @Test
    void manyWhoResumeItWakeItOnce() {
        try (TestSandbox box = gvisor()) {
            box.start(Run.python(COUNTER));
            awaitMore(box, 0);
            box.pause(false);
            List<Sandbox> all = AtOnce.all(Collections.nCopies(AT_ONCE, () -> box.resume(false)));
            assertThat(all).extracting(Sandbox::state).containsOnly("running");
            assertThat(box.output("cat /run/sandglass/generation")).isEqualTo("2");
        }
    }

    @Test
    void whatCannotKeepProcessesSaysSo() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("echo kept > /workspace/file");
            assertThat(refused(ErrorCode.RUNTIME_UNAVAILABLE, () -> box.pause(false)).hint()).contains("--disk-only");
            assertThat(box.output("cat /workspace/file")).isEqualTo("kept");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void theDiskAloneIsKeptToo(String runtime) {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Command sleeping = box.start(Run.shell("echo kept > /workspace/file; sleep 1000"));
            Eventually.get(() -> box.output("cat /workspace/file || true"), "kept"::equals);
            assertThat(box.pause(true).state()).isEqualTo("paused");
            assertThat(box.resume(false).state()).isEqualTo("running");
            assertThat(box.output("cat /workspace/file")).isEqualTo("kept");
            refused(ErrorCode.COMMAND_NOT_FOUND, () -> box.command(sleeping.id()));
        }
    }

    @Test
    void processesCanBeGivenUpLater() {
        try (TestSandbox box = gvisor()) {
            box.start(Run.python(COUNTER));
            awaitMore(box, 0);
            box.pause(false);
            assertThat(box.resume(true).state()).isEqualTo("running");
            assertThat(number(box)).isPositive();
            assertThat(box.commands()).isEmpty();
            assertThat(daemon.api().allSnapshots()).isEmpty();
        }
    }

    @Test
    void whatIsKeptForASandboxGoesWithIt() {
        try (TestSandbox box = gvisor()) {
            box.pause(false);
            Snapshot kept = daemon.api().allSnapshots().getFirst();
            assertThat(kept.purpose()).isEqualTo("pause");
            assertThat(daemon.api().snapshots()).isEmpty();
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().deleteSnapshot(kept.id())).what()).contains(box.name());
        }
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    @Test
    void aSandboxBecomesWhatItWasAndBack() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).labels(Map.of("team", "blue")))) {
            Command counting = box.start(Run.python(COUNTER));
            awaitMore(box, 0);
            Snapshot snapshot = daemon.api().captureAll(box.id());
            long then = number(box);
            awaitMore(box, then + 20);
            Command later = box.start(Run.shell("echo later > /workspace/later; sleep 1000"));
            Eventually.get(() -> box.output("cat /workspace/later || true"), "later"::equals);

            Sandbox back = box.rewind(snapshot.id());
            assertThat(back.id()).isEqualTo(box.id());
            assertThat(back.name()).isEqualTo(box.name());
            assertThat(back.labels()).containsEntry("team", "blue");
            assertThat(back.snapshot()).isEqualTo(snapshot.id());
            assertThat(box.output("ls /workspace")).doesNotContain("later");
            assertThat(box.command(counting.id()).state()).isEqualTo("running");
            refused(ErrorCode.COMMAND_NOT_FOUND, () -> box.command(later.id()));
            awaitMore(box, number(box));
            assertThat(box.output("hostname")).isEqualTo(box.name());

            box.undo();
            assertThat(box.output("cat /workspace/later")).isEqualTo("later");
            assertThat(box.command(later.id()).state()).isEqualTo("running");
            assertThat(number(box)).isGreaterThan(then + 20);

            box.undo();
            assertThat(box.output("ls /workspace")).doesNotContain("later");
            daemon.api().deleteSnapshot(snapshot.id());
            assertThat(box.output("echo fine")).isEqualTo("fine");
            assertThat(daemon.api().allSnapshots()).extracting(Snapshot::purpose).containsExactly("rewind");
        }
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void theDiskAloneIsTurnedBackToo(String runtime) {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            box.output("echo 1 > /workspace/file");
            Snapshot first = daemon.api().capture(box.id(), null);
            box.output("echo 2 > /workspace/file; touch /workspace/more");
            Snapshot second = daemon.api().capture(box.id(), null);
            box.rewind(first.id());
            assertThat(box.output("cat /workspace/file; ls /workspace")).isEqualTo("1\nfile");
            Snapshot same = daemon.api().capture(box.id(), null);
            box.output("echo 3 > /workspace/file");
            box.rewind(second.id());
            assertThat(box.output("cat /workspace/file; ls /workspace")).isEqualTo("2\nfile\nmore");
            box.rewind(same.id());
            assertThat(box.output("cat /workspace/file; ls /workspace")).isEqualTo("1\nfile");
            box.stop();
            box.rewind(second.id());
            assertThat(box.output("cat /workspace/file")).as("from a stopped one").isEqualTo("2");
            box.undo();
            assertThat(box.output("cat /workspace/file")).isEqualTo("1");
            List.of(first, second, same).forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
            assertThat(box.output("cat /workspace/file")).isEqualTo("1");
        }
    }

    @Test
    void aPausedOneIsTurnedBack() {
        try (TestSandbox box = gvisor()) {
            box.output("echo 1 > /workspace/file");
            Snapshot first = daemon.api().captureAll(box.id());
            box.output("echo 2 > /workspace/file");
            box.pause(false);
            box.rewind(first.id());
            assertThat(box.output("cat /workspace/file")).isEqualTo("1");
            box.undo();
            assertThat(box.output("cat /workspace/file")).isEqualTo("2");
            daemon.api().deleteSnapshot(first.id());
        }
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    @Test
    void whatCannotBeTurnedBackToIsRefusedBeforeAnythingHappens() {
        try (TestSandbox box = gvisor(); TestSandbox other = daemon.api().create(SandboxRequest.on("container"))) {
            Snapshot full = daemon.api().captureAll(box.id());
            assertThat(refused(ErrorCode.CONFLICT, () -> other.rewind(full.id())).what()).contains("runtime");
            assertThat(refused(ErrorCode.CONFLICT, other::undo).what()).contains("nothing to undo");
            try (TestSandbox freer = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).security("standard"))) {
                assertThat(refused(ErrorCode.CONFLICT, () -> freer.rewind(full.id())).what()).contains("security");
            }
            refused(ErrorCode.SNAPSHOT_NOT_FOUND, () -> box.rewind("snap-000000000000"));
            refused(ErrorCode.INVALID_REQUEST, () -> daemon.caller().post(box.path() + "/rewind", new RewindSandbox(full.id(), true, null)));
            assertThat(other.now().state()).isEqualTo("running");
            assertThat(daemon.api().allSnapshots()).hasSize(1);
            daemon.api().deleteSnapshot(full.id());
        }
    }

    private TestSandbox gvisor() {
        return daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256));
    }

    private static void awaitMore(TestSandbox box, long than) {
        Eventually.get(() -> number(box), n -> n > than);
    }

    private static long number(TestSandbox box) {
        return Long.parseLong(box.output("cat /workspace/n 2>/dev/null || echo 0"));
    }
}
