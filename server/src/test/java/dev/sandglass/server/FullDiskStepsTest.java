package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The disk of the daemon's own files becomes full or breaks in the middle of an operation: it is said, and nothing is lost or left. */
@ExtendWith(SharedDaemon.class)
@Timeout(600)
class FullDiskStepsTest {
    private static final Path RUN = Path.of("/run/sandglass-steps-" + ProcessHandle.current().pid());
    /** The fault is there when the operation begins. */
    private static final String BEFORE = "BEFORE";

    static Stream<Arguments> faults() {
        Stream<Arguments> few = Stream.of(
                Arguments.of("destroy", BEFORE, "full", "container"),
                Arguments.of("destroy", "DESTROY_IDENTITY", "full", "gvisor"),
                Arguments.of("destroy", "DESTROY_STOPPED", "error", "container"),
                Arguments.of("stop", "STOP_ENDED", "full", "container"),
                Arguments.of("start", "START_ANSWERED", "full", "container"),
                Arguments.of("update", BEFORE, "full", "container"),
                Arguments.of("exec", "EXEC_STARTED", "full", "container"),
                Arguments.of("delete", BEFORE, "full", "container"),
                Arguments.of("snapshot", "SNAPSHOT_TAKEN", "full", "gvisor"),
                Arguments.of("pause", "PAUSE_CAPTURED", "full", "gvisor"),
                Arguments.of("resume", "RESUME_ANSWERED", "full", "gvisor"),
                Arguments.of("rewind", "RESUME_TREE", "error", "gvisor"));
        return Soak.on() ? all() : few;
    }

    private static Stream<Arguments> all() {
        Map<String, List<String>> steps = Map.of(
                "destroy", List.of(BEFORE, "DESTROY_RECORDED", "DESTROY_STOPPED", "DESTROY_IDENTITY"),
                "stop", List.of(BEFORE, "STOP_RECORDED", "STOP_ENDED"),
                "start", List.of(BEFORE, "START_RECORDED", "START_STARTED", "START_ANSWERED"),
                "update", List.of(BEFORE, "UPDATE_RECORDED"),
                "exec", List.of(BEFORE, "EXEC_NUMBERED", "EXEC_STARTED"),
                "delete", List.of(BEFORE, "DELETE_RECORDED"),
                "snapshot", List.of(BEFORE, "SNAPSHOT_RECORDED", "SNAPSHOT_PAUSED", "SNAPSHOT_TAKEN"),
                "pause", List.of(BEFORE, "SNAPSHOT_TAKEN", "PAUSE_CAPTURED", "PAUSE_RECORDED"),
                "resume", List.of(BEFORE, "RESUME_RECORDED", "RESUME_TREE", "RESUME_ANSWERED"),
                "rewind", List.of(BEFORE, "PAUSE_CAPTURED", "REWIND_RECORDED", "RESUME_TREE", "RESUME_ANSWERED"));
        return steps.entrySet().stream()
                .flatMap(operation -> operation.getValue().stream()
                        .flatMap(step -> Stream.of("full", "error")
                                .flatMap(fault -> Stream.of("container", "gvisor")
                                        .filter(runtime -> isReached(operation.getKey(), step, runtime))
                                        .map(runtime -> Arguments.of(operation.getKey(), step, fault, runtime)))));
    }

    /** A pause that keeps no processes, as that of a container here, takes no snapshot. */
    private static boolean isReached(String operation, String step, String runtime) {
        return !(operation.equals("pause") && step.equals("SNAPSHOT_TAKEN") && runtime.equals("container"));
    }

    @ParameterizedTest(name = "{0} with the disk {2} at {1} on {3}")
    @MethodSource("faults")
    void nothingIsLostAndNothingIsLeft(String operation, String step, String fault, String runtime) throws IOException, InterruptedException {
        try (SmallDisk disk = new SmallDisk(SharedDaemon.daemon());
                TestDaemon daemon = new TestDaemon(disk.data(), RUN).with("SANDGLASS_POOL", "btrfs")) {
            try {
                happen(disk, daemon, operation, step, fault, runtime);
            } catch (Throwable problem) { // what a failed test left must not fail the others
                daemon.disarmed().kill();
                disk.makeRoom();
                disk.repairUnder(daemon);
                daemon.start();
                daemon.api().list().forEach(box -> daemon.api().destroy(box.id()));
                throw problem;
            }
        }
    }

    private static void happen(SmallDisk disk, TestDaemon daemon, String operation, String step, String fault, String runtime) throws IOException, InterruptedException {
        daemon.start();
        Scene scene = new Scene(daemon, runtime);
        scene.prepare(operation);
        if (!step.equals(BEFORE)) {
            daemon.holdingAt(Failpoint.valueOf(step).name());
        }
        Optional<SandglassException> refusal = during(daemon, step, fault.equals("full") ? disk::fill : disk::fail, () -> scene.act(operation));
        refusal.ifPresent(said -> {
            assertThat(said.code()).as(said.what()).isIn(ErrorCode.DISK_FULL, ErrorCode.LEDGER_FAILED, ErrorCode.STORAGE_FAILED);
            assertThat(said.hint()).as(said.what()).isNotBlank();
        });
        if (fault.equals("full")) {
            assertThat(refusal.isPresent() && operation.matches("destroy|delete|stop"))
                    .as("what makes room needs none: %s", refusal.map(SandglassException::what))
                    .isFalse();
        }
        assertThat(daemon.isAlive()).isTrue();
        scene.requireNeighbour();
        if (fault.equals("full")) {
            disk.makeRoom();
            scene.finish(operation, refusal.isEmpty());
            daemon.disarmed().stop();
        } else {
            daemon.disarmed().kill();
            disk.repairUnder(daemon);
        }
        daemon.start();
        scene.finish(operation, refusal.isEmpty());
        scene.leave();
        daemon.stop();
    }

    /** How it is refused, if it is, when the disk changes while it stands still at the step. */
    private static Optional<SandglassException> during(TestDaemon daemon, String step, Change change, Runnable operation) throws IOException {
        if (step.equals(BEFORE)) {
            change.make();
            return Optional.ofNullable(catchThrowableOfType(SandglassException.class, operation::run));
        }
        return AtOnce.all(List.<Callable<Optional<SandglassException>>>of(
                        () -> Optional.ofNullable(catchThrowableOfType(SandglassException.class, operation::run)),
                        () -> {
                            daemon.atTheStep(() -> quietly(change));
                            return Optional.empty();
                        }))
                .getFirst();
    }

    private static void quietly(Change change) {
        try {
            change.make();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** Something that is done to the disk. */
    private interface Change {
        void make() throws IOException;
    }

    /** A sandbox that something is done to, one beside it, and a snapshot. */
    private record Scene(TestDaemon daemon, String runtime) {
        void prepare(String operation) {
            daemon.api().create(SandboxRequest.on("container").name("neighbour")).output("echo near > /workspace/file");
            TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).name("acted-on").memoryMb(256));
            box.output("echo early > /workspace/file");
            if (operation.matches("delete|rewind")) {
                daemon.api().capture("acted-on", "early");
            }
            box.output("echo late > /workspace/file");
            switch (operation) {
                case "start" -> box.stop();
                case "resume" -> box.pause(diskOnly());
                default -> {}
            }
        }

        private boolean diskOnly() {
            return runtime.equals("container");
        }

        private TestSandbox box() {
            return new TestSandbox(daemon.caller(), daemon.api().get("acted-on"));
        }

        void act(String operation) {
            switch (operation) {
                case "destroy" -> daemon.api().destroy("acted-on");
                case "stop" -> daemon.api().stop("acted-on");
                case "start" -> daemon.api().start("acted-on");
                case "update" -> daemon.api().update("acted-on", Changes.none().memoryMb(300).processes(99).toWire());
                case "exec" -> assertThat(exec().exit().code()).isZero();
                case "delete" -> daemon.api().deleteSnapshot("early");
                case "snapshot" -> captureAs("late");
                case "pause" -> box().pause(diskOnly());
                case "resume" -> box().resume(false);
                default -> box().rewind("early");
            }
        }

        private void captureAs(String name) {
            daemon.caller().post("/v1/sandboxes/acted-on/snapshots", new CreateSnapshot(name, null, null, null, null));
        }

        private CommandResult exec() {
            return daemon.caller()
                    .post(box().path() + "/commands/run", Run.shell("echo once >> /workspace/once").toRun(), Map.of("Idempotency-Key", "once"))
                    .as(CommandResult.class);
        }

        void requireNeighbour() {
            TestSandbox near = new TestSandbox(daemon.caller(), daemon.api().get("neighbour"));
            assertThat(near.output("cat /workspace/file")).isEqualTo("near");
        }

        /** What was acknowledged is there; what was refused can be done now. */
        void finish(String operation, boolean acknowledged) throws IOException {
            requireNeighbour();
            if (acknowledged) {
                requireDone(operation);
            }
            if (!isDone(operation)) {
                act(operation);
            }
            requireDone(operation);
            assertThat(Leftovers.of(daemon).strays()).isEmpty();
        }

        private boolean isDone(String operation) {
            return switch (operation) {
                case "destroy" -> !daemon.api().names().contains("acted-on");
                case "stop" -> box().info().state().equals("stopped");
                case "start", "resume" -> box().info().state().equals("running");
                case "update" -> box().info().memoryMb() == 300;
                case "exec" -> box().output("cat /workspace/once || true").equals("once");
                case "delete" -> daemon.api().snapshots().isEmpty();
                case "snapshot" -> daemon.api().snapshots().stream().anyMatch(snapshot -> "late".equals(snapshot.name()));
                case "pause" -> box().info().state().equals("paused");
                default -> box().info().state().equals("running") && box().output("cat /workspace/file").equals("early");
            };
        }

        private void requireDone(String operation) {
            assertThat(isDone(operation)).as("%s is done: %s, %s", operation, daemon.api().list(), daemon.api().allSnapshots()).isTrue();
            switch (operation) {
                case "exec" -> {
                    exec();
                    assertThat(box().output("cat /workspace/once")).isEqualTo("once");
                }
                case "snapshot" -> daemon.api().verify("late");
                case "start", "resume", "update", "delete" -> assertThat(box().output("cat /workspace/file")).isEqualTo("late");
                default -> {}
            }
        }

        private static void undo(TestSandbox box) {
            if (box.output("cat /workspace/file").equals("early")) {
                box.undo();
            }
        }

        /** With what it had when it was stopped, paused or turned back. */
        void leave() throws IOException {
            if (daemon.api().names().contains("acted-on")) {
                TestSandbox box = box();
                switch (box.info().state()) {
                    case "stopped" -> box.powerOn();
                    case "paused" -> box.resume(false);
                    default -> undo(box);
                }
                assertThat(box.output("cat /workspace/file")).isEqualTo("late");
                box.close();
            }
            daemon.api().destroy("neighbour");
            daemon.api().snapshots().stream().map(Snapshot::id).forEach(daemon.api()::deleteSnapshot);
            assertThat(daemon.api().allSnapshots()).isEmpty();
            assertThat(Leftovers.of(daemon).strays()).isEmpty();
            assertThat(MountNamespace.inside(daemon.run(), "find " + daemon.data().resolve("pool") + " " + daemon.data() + "/manifests -maxdepth 2 '(' -name '*snap-*' -o -name '*.new' ')'"))
                    .isEmpty();
        }
    }
}
