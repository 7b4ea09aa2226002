package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.RewindSandbox;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sandboxes rest with all that runs in them, go on where they were, and are turned back in place. */
@OnEveryRuntime
@Timeout(600)
class PauseTest {
    private static final int CYCLES = Soak.on() ? 50 : 4;
    private static final int AT_ONCE = 8;
    private static final int TRIES = 10;
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
    private final String runtime;

    PauseTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void processesGoOnWhereTheyWere() {
        try (TestSandbox box = resting()) {
            Command counting = box.start(Run.python(COUNTER));
            awaitMore(box, 0);
            Set<String> generations = new HashSet<>(Set.of(box.output("cat /run/sandglass/generation")));
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
                assertThat(generations.add(box.output("cat /run/sandglass/generation"))).as("another generation each time").isTrue();
            }
            assertThat(box.now().startedAt()).as("it only stood still").isEqualTo(box.info().startedAt());
            assertThat(daemon.api().allSnapshots()).isEmpty();
        }
    }

    @Test
    void manyWhoResumeItWakeItOnce() {
        try (TestSandbox box = resting()) {
            box.start(Run.python(COUNTER));
            awaitMore(box, 0);
            box.pause(false);
            List<Sandbox> all = AtOnce.all(Collections.nCopies(AT_ONCE, () -> box.resume(false)));
            assertThat(all).extracting(Sandbox::state).containsOnly("running");
            assertThat(all).extracting(Sandbox::pid).as("its one process").doesNotContainNull().hasSize(AT_ONCE).containsOnly(box.now().pid());
        }
    }

    @Test
    void whatCannotKeepProcessesSaysSo() {
        Assumptions.assumeTrue(CapturedMemory.obstacle(runtime).isPresent(), runtime + " keeps them");
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime))) {
            box.output("echo kept > /workspace/file");
            assertThat(refused(ErrorCode.RUNTIME_UNAVAILABLE, () -> box.pause(false)).hint()).contains("--disk-only");
            assertThat(box.output("cat /workspace/file")).isEqualTo("kept");
        }
    }

    @Test
    void theDiskAloneIsKeptToo() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Command sleeping = box.start(Run.shell("echo kept > /workspace/file; sleep 1000"));
            Eventually.get(() -> box.output("cat /workspace/file || true"), "kept"::equals);
            assertThat(box.pause(true).state()).isEqualTo("paused");
            assertThat(box.resume(false).state()).isEqualTo("running");
            assertThat(box.output("cat /workspace/file")).isEqualTo("kept");
            refused(ErrorCode.COMMAND_NOT_FOUND, () -> box.command(sleeping.id()));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PAUSE_CAPTURED", "PAUSE_RECORDED", "PAUSE_DONE"})
    void aDeathWhileTheDiskAloneIsKeptLeavesItRunningOrPaused(Failpoint step) throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            box.output("echo kept > /workspace/file");
            daemon.mortalAt(step.name());
            assertThatThrownBy(() -> box.pause(true)).isInstanceOf(UncheckedIOException.class);
            assertThat(daemon.awaitEnd()).isEqualTo(137);
            daemon.revive();
            assertThat(box.now().state()).isEqualTo(step == Failpoint.PAUSE_CAPTURED ? "running" : "paused");
            assertThat(Leftovers.of(daemon).strays()).isEmpty();
            box.resume(false);
            assertThat(box.output("cat /workspace/file")).isEqualTo("kept");
        } finally {
            daemon.revive();
        }
    }

    @Test
    void processesCanBeGivenUpLater() {
        try (TestSandbox box = resting()) {
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
        try (TestSandbox box = resting()) {
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
        try (TestSandbox box = daemon.api().create(withMemory().labels(Map.of("team", "blue")))) {
            Command counting = box.start(Run.python(COUNTER));
            awaitMore(box, 0);
            Snapshot snapshot = daemon.api().captureAll(box.id());
            long then = number(box);
            awaitMore(box, then + 20);
            Command later = box.start(Run.shell("echo later > /workspace/later; sleep 1000"));
            Eventually.get(() -> box.output("cat /workspace/later || true"), "later"::equals);
            CompletableFuture<CommandResult> watched = CompletableFuture.supplyAsync(() -> box.run(Run.shell("echo heard; touch /workspace/watched; exec sleep 1000")));
            Eventually.get(() -> box.output("ls /workspace"), names -> names.contains("watched"));

            Sandbox back = box.rewind(snapshot.id());
            assertThat(watched.join().stdout()).isEqualTo("heard\n");
            assertThat(watched.join().exit()).extracting(Exit::code, Exit::reason).containsExactly(137, "rewound");
            assertThat(number(box.start(Run.of("true")))).as("no handle means another command").isGreaterThan(number(later));
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

    @Test
    void theDiskAloneIsTurnedBackToo() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            String itself = box.output("echo 1 > /workspace/file; echo 192.0.2.1 elsewhere >> /etc/hosts; cat /etc/machine-id /etc/hosts /etc/hostname");
            Snapshot first = daemon.api().capture(box.id(), null);
            box.output("echo 2 > /workspace/file; touch /workspace/more");
            Snapshot second = daemon.api().capture(box.id(), null);
            box.rewind(first.id());
            assertThat(box.output("cat /workspace/file; ls /workspace")).isEqualTo("1\nfile");
            assertThat(box.output("cat /etc/machine-id /etc/hosts /etc/hostname")).as("it is the same sandbox").isEqualTo(itself);
            Snapshot same = daemon.api().capture(box.id(), null);
            box.output("echo 3 > /workspace/file");
            box.rewind(second.id());
            assertThat(box.output("cat /workspace/file; ls /workspace")).isEqualTo("2\nfile\nmore");
            box.rewind(same.id());
            assertThat(box.output("cat /workspace/file; ls /workspace")).isEqualTo("1\nfile");
            box.stop();
            box.rewind(second.id());
            assertThat(box.output("cat /workspace/file")).as("from a stopped one").isEqualTo("2");
            assertThat(box.undo().state()).as("it was stopped before").isEqualTo("stopped");
            refused(ErrorCode.SANDBOX_NOT_RUNNING, () -> box.output("true"));
            box.powerOn();
            assertThat(box.output("cat /workspace/file")).isEqualTo("1");
            List.of(first, second, same).forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
            assertThat(box.output("cat /workspace/file")).isEqualTo("1");
        }
    }

    @Test
    void oneWithAnotherNameIsStillItselfWhenItIsTurnedBack() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            String machine = box.output("cat /etc/machine-id");
            Snapshot before = daemon.api().capture(box.id(), null);
            daemon.api().update(box.id(), Changes.none().name("renamed").toWire());
            box.rewind(before.id());
            assertThat(box.output("cat /etc/machine-id; hostname; cat /etc/hostname")).isEqualTo(machine + "\nrenamed\nrenamed");
            daemon.api().deleteSnapshot(before.id());
        }
    }

    @Test
    void aPausedOneIsTurnedBack() {
        try (TestSandbox box = resting()) {
            box.output("echo 1 > /workspace/file");
            Snapshot first = daemon.api().captureAll(box.id());
            box.output("echo 2 > /workspace/file");
            box.pause(false);
            box.rewind(first.id());
            assertThat(box.output("cat /workspace/file")).isEqualTo("1");
            assertThat(box.undo().state()).as("it was paused before").isEqualTo("paused");
            box.resume(false);
            assertThat(box.output("cat /workspace/file")).isEqualTo("2");
            assertThat(box.undo().state()).as("it ran before it was brought back").isEqualTo("running");
            assertThat(box.output("cat /workspace/file")).isEqualTo("1");
            daemon.api().deleteSnapshot(first.id());
        }
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    @Test
    void toStopAPausedOneGivesUpItsProcessesAndKeepsItsDisk() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Command counting = box.start(Run.python(COUNTER));
            box.output("echo kept > /workspace/file");
            box.pause(CapturedMemory.obstacle(runtime).isPresent());
            assertThat(box.stop().state()).isEqualTo("stopped");
            assertThat(daemon.api().allSnapshots()).as("nothing of what ran is kept").isEmpty();
            refused(ErrorCode.CONFLICT, () -> box.resume(false));
            box.powerOn();
            assertThat(box.output("cat /workspace/file")).isEqualTo("kept");
            refused(ErrorCode.COMMAND_NOT_FOUND, () -> box.command(counting.id()));
        }
    }

    @Test
    void whatCannotBeTurnedBackToIsRefusedBeforeAnythingHappens() {
        try (TestSandbox box = resting(); TestSandbox other = daemon.api().create(SandboxRequest.on(runtime.equals("gvisor") ? "container" : "gvisor"))) {
            Snapshot full = daemon.api().captureAll(box.id());
            assertThat(refused(ErrorCode.CONFLICT, () -> other.rewind(full.id())).what()).contains("runtime");
            assertThat(refused(ErrorCode.CONFLICT, other::undo).what()).contains("nothing to undo");
            try (TestSandbox freer = daemon.api().create(withMemory().security("standard"))) {
                assertThat(refused(ErrorCode.CONFLICT, () -> freer.rewind(full.id())).what()).contains("security");
            }
            refused(ErrorCode.SNAPSHOT_NOT_FOUND, () -> box.rewind("snap-000000000000"));
            refused(ErrorCode.INVALID_REQUEST, () -> daemon.caller().post(box.path() + "/rewind", new RewindSandbox(full.id(), true, null)));
            assertThat(other.now().state()).isEqualTo("running");
            assertThat(daemon.api().allSnapshots()).hasSize(1);
            daemon.api().deleteSnapshot(full.id());
        }
    }

    /** A deleted file that is in use holds the capture up while the target goes. */
    @Test
    void aTargetThatGoesMeanwhileLeavesTheSandboxAsItIs() {
        Assumptions.assumeTrue(runtime.equals("gvisor"), "nothing holds a capture up elsewhere");
        try (TestSandbox box = resting()) {
            Command counting = box.start(Run.python(COUNTER));
            awaitMore(box, 0);
            SandglassException refusal;
            int tries = 0;
            do {
                Snapshot target = daemon.api().capture(box.id(), null);
                box.start(Run.shell("exec 3> /workspace/gone; rm /workspace/gone; touch /tmp/held; until [ -e /tmp/release ]; do sleep 0.02; done; exec 3>&-; rm /tmp/held /tmp/release"));
                Eventually.get(() -> box.output("ls /tmp"), "held"::equals);
                refusal = meanwhile(() -> box.rewind(target.id()), () -> {
                    Eventually.get(() -> daemon.api().allSnapshots(), all -> all.stream().anyMatch(one -> one.purpose().equals("rewind")));
                    daemon.api().deleteSnapshot(target.id());
                    box.output("touch /tmp/release");
                });
                Eventually.get(() -> box.output("ls /tmp"), ""::equals);
            } while (refusal.code() == ErrorCode.SNAPSHOT_BLOCKED && ++tries < TRIES);
            assertThat(refusal.code()).as(refusal.what()).isEqualTo(ErrorCode.SNAPSHOT_NOT_FOUND);
            assertThat(box.now().state()).isEqualTo("running");
            assertThat(box.command(counting.id()).state()).isEqualTo("running");
            awaitMore(box, number(box));
            refused(ErrorCode.CONFLICT, box::undo);
            assertThat(daemon.api().allSnapshots()).isEmpty();
        }
    }

    /** How something is refused while something else is done. */
    private static SandglassException meanwhile(Runnable refused, Runnable other) {
        return AtOnce.all(List.<Callable<Optional<SandglassException>>>of(
                        () -> Optional.ofNullable(catchThrowableOfType(SandglassException.class, refused::run)),
                        () -> {
                            other.run();
                            return Optional.empty();
                        }))
                .getFirst()
                .orElseThrow();
    }

    private TestSandbox resting() {
        return daemon.api().create(withMemory());
    }

    /** One that keeps its processes. */
    private SandboxRequest withMemory() {
        CapturedMemory.assumeOn(runtime);
        return SandboxRequest.on(runtime).memoryMb(256);
    }

    private static int number(Command command) {
        return Integer.parseInt(command.id().substring("cmd-".length()));
    }

    private static void awaitMore(TestSandbox box, long than) {
        Eventually.get(() -> number(box), n -> n > than);
    }

    private static long number(TestSandbox box) {
        return Long.parseLong(box.output("cat /workspace/n 2>/dev/null || echo 0"));
    }
}
