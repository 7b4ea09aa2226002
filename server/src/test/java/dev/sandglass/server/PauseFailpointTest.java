package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The daemon dies while a sandbox goes to rest, goes on or is turned back: neither what it was nor what it becomes is lost. */
@OnEveryRuntime
@Timeout(300)
class PauseFailpointTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    PauseFailpointTest(String runtime) {
        CapturedMemory.assumeOn(runtime);
        this.runtime = runtime;
    }

    static Stream<Arguments> steps() {
        Stream<Arguments> few = Stream.of(
                Arguments.of("pause", Failpoint.PAUSE_CAPTURED),
                Arguments.of("pause", Failpoint.PAUSE_RECORDED),
                Arguments.of("resume", Failpoint.RESUME_RECORDED),
                Arguments.of("resume", Failpoint.RESUME_ANSWERED),
                Arguments.of("resume", Failpoint.RESUME_RUNNING),
                Arguments.of("rewind", Failpoint.PAUSE_CAPTURED),
                Arguments.of("rewind", Failpoint.REWIND_RECORDED),
                Arguments.of("rewind", Failpoint.RESUME_TREE));
        Stream<Arguments> more = Stream.of(
                Arguments.of("pause", Failpoint.PAUSE_DONE),
                Arguments.of("resume", Failpoint.RESUME_TREE),
                Arguments.of("resume", Failpoint.RESUME_STARTED),
                Arguments.of("rewind", Failpoint.PAUSE_RECORDED),
                Arguments.of("rewind", Failpoint.PAUSE_DONE),
                Arguments.of("rewind", Failpoint.RESUME_RECORDED),
                Arguments.of("rewind", Failpoint.RESUME_STARTED),
                Arguments.of("rewind", Failpoint.RESUME_ANSWERED),
                Arguments.of("rewind", Failpoint.RESUME_RUNNING));
        return Soak.on() ? Stream.concat(few, more) : few;
    }

    @AfterEach
    void disarm() throws IOException, InterruptedException {
        daemon.revive();
        if (daemon.api().names().contains("resting")) {
            daemon.api().destroy("resting");
        }
        daemon.api().snapshots().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
    }

    @ParameterizedTest(name = "{0} at {1}")
    @MethodSource("steps")
    void nothingIsLost(String operation, Failpoint step) throws IOException, InterruptedException {
        TestSandbox box = resting();
        Command waiting = remembering(box);
        box.output("echo early > /workspace/file");
        Snapshot early = daemon.api().captureAll(box.id());
        box.output("echo late > /workspace/file");
        if (operation.equals("resume")) {
            box.pause(false);
        }
        daemon.mortalAt(step.name());
        assertThatThrownBy(() -> act(reached(), operation, early)).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();

        TestSandbox after = reached();
        String state = after.now().state();
        assertThat(state).isIn("running", "paused");
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
        after.resume(false);
        boolean turned = operation.equals("rewind") && (!state.equals("running") || step == Failpoint.RESUME_RUNNING);
        assertThat(after.output("cat /workspace/file")).isEqualTo(turned ? "early" : "late");
        if (turned) {
            requireWord(after, waiting);
            after.undo();
            assertThat(after.output("cat /workspace/file")).isEqualTo("late");
        }
        requireWord(after, waiting);
        after.close();
        daemon.api().deleteSnapshot(early.id());
        assertThat(daemon.api().allSnapshots()).isEmpty();
        assertThat(MountNamespace.inside(daemon.run(), "find " + daemon.data().resolve("pool") + " -maxdepth 2 -name '*snap-*'")).isEmpty();
    }

    @Test
    void whatWasBeforeARewindThatFailedCanBeBroughtBack() throws IOException, InterruptedException {
        daemon.failingAt(Failpoint.RESUME_TREE.name());
        try (TestSandbox box = resting()) {
            box.output("echo early > /workspace/file");
            Snapshot early = daemon.api().capture(box.id(), null);
            Command waiting = remembering(box);
            box.output("echo late > /workspace/file");
            refused(ErrorCode.INTERNAL, () -> box.rewind(early.id()));
            assertThat(box.now().state()).isEqualTo("paused");
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().capture(box.id(), null)).what()).contains("no state of its own");
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.caller().post(box.path() + "/fork", new ForkSandbox(1, null, null, null, null, null, null, null))).what()).contains("no state of its own");
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().deleteSnapshot(early.id())).what()).contains(box.name());
            assertThat(daemon.api().allSnapshots()).extracting(Snapshot::purpose).containsExactly("kept", "rewind");

            box.rewind(early.id());
            assertThat(box.output("cat /workspace/file")).isEqualTo("early");
            box.undo();
            assertThat(box.output("cat /workspace/file")).isEqualTo("late");
            requireWord(box, waiting);
            daemon.api().deleteSnapshot(early.id());
        }
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Failpoint.class, names = {"REWIND_RECORDED", "STOP_DONE"})
    void whatWasStoppedIsBroughtBackAlsoWhenThatIsCutShort(Failpoint step) throws IOException, InterruptedException {
        TestSandbox box = resting();
        box.output("echo early > /workspace/file");
        Snapshot early = daemon.api().capture(box.id(), null);
        box.output("echo late > /workspace/file");
        box.stop();
        box.rewind(early.id());
        daemon.mortalAt(step.name());
        assertThatThrownBy(() -> reached().undo()).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();

        TestSandbox after = reached();
        assertThat(after.now().state()).isEqualTo(step == Failpoint.STOP_DONE ? "stopped" : "paused");
        after.stop();
        after.powerOn();
        assertThat(after.output("cat /workspace/file")).isEqualTo("late");
        after.undo();
        assertThat(after.output("cat /workspace/file")).isEqualTo("early");
        after.close();
        daemon.api().deleteSnapshot(early.id());
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    @Test
    void whatWasPausedIsKeptByARewindAfterAResumeThatFailed() throws IOException, InterruptedException {
        try (TestSandbox box = resting()) {
            box.output("echo early > /workspace/file");
            Snapshot early = daemon.api().capture(box.id(), null);
            box.rewind(early.id());
            box.output("echo precious > /workspace/file");
            box.pause(false);
            daemon.failingAt(Failpoint.RESUME_TREE.name());
            refused(ErrorCode.INTERNAL, () -> box.resume(false));
            box.rewind(early.id());
            assertThat(box.output("cat /workspace/file")).isEqualTo("early");
            box.undo();
            assertThat(box.now().state()).isEqualTo("paused");
            box.resume(false);
            assertThat(box.output("cat /workspace/file")).isEqualTo("precious");
            daemon.api().deleteSnapshot(early.id());
        }
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    @Test
    void whatAnotherSandboxRestsAtStaysUntilItHasGoneOn() throws IOException, InterruptedException {
        daemon.failingAt(Failpoint.RESUME_TREE.name());
        TestSandbox first = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256));
        Command waiting = remembering(first);
        first.pause(false);
        Snapshot shared = daemon.api().allSnapshots().getFirst();
        try (TestSandbox second = resting()) {
            refused(ErrorCode.INTERNAL, () -> second.rewind(shared.id()));
            assertThat(second.now().state()).isEqualTo("paused");
            first.resume(false);
            assertThat(daemon.api().allSnapshots()).extracting(Snapshot::id).as("the other goes on from it").contains(shared.id());
            first.close();
            assertThat(daemon.api().allSnapshots()).extracting(Snapshot::id).as("also without the one it was taken of").contains(shared.id());
            second.resume(false);
            requireWord(second, waiting);
            second.undo();
            refused(ErrorCode.COMMAND_NOT_FOUND, () -> second.command(waiting.id()));
        }
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    @Test
    void aResumeThatFailsWhenAllIsDoneLeavesItPaused() throws IOException, InterruptedException {
        daemon.failingAt(Failpoint.RESUME_RUNNING.name());
        try (TestSandbox box = resting()) {
            Command waiting = remembering(box);
            box.output("echo kept > /workspace/file");
            box.pause(false);
            refused(ErrorCode.INTERNAL, () -> box.resume(false));
            assertThat(box.now().state()).isEqualTo("paused");
            assertThat(box.now().pid()).isNull();
            assertThat(Leftovers.of(daemon).of(box.id())).as("nothing of it runs").noneMatch(line -> line.matches("(process|mount|cgroup).*"));
            box.resume(false);
            assertThat(box.output("cat /workspace/file")).isEqualTo("kept");
            requireWord(box, waiting);
        }
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    private TestSandbox resting() {
        return daemon.api().create(SandboxRequest.on(runtime).name("resting").memoryMb(256));
    }

    private static Command remembering(TestSandbox box) {
        return box.start(Run.shell("word=remembered; while read -r line; do echo $word $line; done").withInput());
    }

    /** It is in the memory of a shell and nowhere else. */
    private static void requireWord(TestSandbox box, Command waiting) {
        box.input(box.command(waiting.id()), "again\n", false);
        Eventually.get(() -> box.said(waiting), text -> text.contains("remembered again"));
    }

    private TestSandbox reached() {
        return new TestSandbox(daemon.caller(), daemon.api().get("resting"));
    }

    private static void act(TestSandbox box, String operation, Snapshot early) {
        switch (operation) {
            case "pause" -> box.pause(false);
            case "resume" -> box.resume(false);
            default -> box.rewind(early.id());
        }
    }
}
