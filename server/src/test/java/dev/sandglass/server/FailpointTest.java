package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The daemon dies at every named step; the next one finishes or undoes what was begun, and nothing is left over. */
@DefaultNetwork
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class FailpointTest {
    private final TestDaemon daemon = SharedDaemon.daemon();

    static Stream<Arguments> steps() {
        return Stream.of("container", "gvisor")
                .flatMap(runtime -> Stream.of(Failpoint.values()).filter(step -> !step.name().matches("(PAUSE|RESUME|REWIND|MERGE|IMPORT|EXPORT|VERIFY|DELETE|FORK|SNAPSHOT_MEMORY|VOLUME|ATTACH|DETACH|IMAGE|BUILD|SPARE)_.*")).map(step -> Arguments.of(step, runtime)))
                .filter(step -> Soak.on() || step.get()[1].equals("container") || step.get()[0] == Failpoint.CREATE_STARTED
                        || step.get()[0] == Failpoint.STOP_ASKED
                        || step.get()[0] == Failpoint.START_STARTED
                        || step.get()[0] == Failpoint.DESTROY_UNLINKED);
    }

    @AfterEach
    void disarm() throws IOException, InterruptedException {
        daemon.revive();
        if (daemon.api().names().contains("interrupted")) {
            daemon.api().destroy("interrupted"); // what a failed test left must not fail the others
        }
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("steps")
    void aDeathAtAnyStepLeavesNothingHalfDone(Failpoint step, String runtime) throws IOException, InterruptedException {
        String operation = step.name().substring(0, step.name().indexOf('_'));
        SandboxRequest request = SandboxRequest.on(runtime).name("interrupted");
        String id = operation.equals("CREATE") ? "" : daemon.api().create(request).id();
        if (operation.equals("START")) {
            daemon.api().stop(id);
        }
        daemon.mortalAt(step.name());
        Assertions.assertThatThrownBy(() -> act(step, operation, request)).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();

        boolean survives = operation.matches("EXEC|STOP|START|UPDATE|SNAPSHOT") || step == Failpoint.CREATE_RUNNING;
        assertThat(daemon.api().names().contains("interrupted")).isEqualTo(survives);
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
        if (survives) {
            assertThat(daemon.api().get("interrupted").state()).isEqualTo(stateAfter(step));
            daemon.api().start("interrupted");
            TestSandbox adopted = new TestSandbox(daemon.caller(), daemon.api().get("interrupted"));
            assertThat(adopted.output("echo works")).isEqualTo("works");
            if (operation.equals("UPDATE")) {
                assertThat(adopted.info().memoryMb()).isEqualTo(300);
                try (TestSandbox like = daemon.api().create(SandboxRequest.on(runtime).memoryMb(300).processes(99))) {
                    assertThat(HostLimits.of(daemon, id)).isEqualTo(HostLimits.of(daemon, like.id()));
                }
            }
            if (operation.equals("SNAPSHOT")) {
                boolean whole = step == Failpoint.SNAPSHOT_READY;
                assertThat(daemon.api().snapshots().stream().anyMatch(snapshot -> "half-taken".equals(snapshot.name()))).isEqualTo(whole);
                daemon.api().capture("interrupted", whole ? "another" : "half-taken");
                daemon.api().snapshots().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
                assertThat(MountNamespace.inside(daemon.run(), "find " + daemon.data().resolve("pool") + " -maxdepth 2 -name '*snap-*'")).isEmpty();
            }
            adopted.close();
        } else if (!id.isEmpty()) {
            daemon.api().destroy(id);
        }
        daemon.api().create(request).close();
    }

    static Stream<Arguments> stepsOfACreate() {
        return Stream.of("container", "gvisor")
                .flatMap(runtime -> Stream.of(Failpoint.values()).filter(step -> step.name().startsWith("CREATE_")).map(step -> Arguments.of(step, runtime)))
                .filter(step -> Soak.on()
                        || (step.get()[1].equals("container") && Set.of(Failpoint.CREATE_RECORDED, Failpoint.CREATE_RUNNING).contains(step.get()[0])));
    }

    /** Also when the ledger has written what it says it has not. */
    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("stepsOfACreate")
    void aCreateThatFailsAtAnyStepLeavesNothing(Failpoint step, String runtime) throws IOException, InterruptedException {
        SandboxRequest request = SandboxRequest.on(runtime).name("interrupted");
        daemon.failingAt(step.name());
        refused(ErrorCode.INTERNAL, () -> daemon.api().create(request));
        assertThat(daemon.api().names()).doesNotContain("interrupted");
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
        try (TestSandbox another = daemon.api().create(request)) {
            assertThat(another.output("echo works")).as("the name is free at once").isEqualTo("works");
        }
    }

    private static String stateAfter(Failpoint step) {
        return switch (step) {
            case STOP_RECORDED, STOP_ASKED, STOP_ENDED, STOP_DONE -> "stopped";
            case START_RECORDED, START_STARTED, START_ANSWERED -> "stopped";
            default -> "running";
        };
    }

    private void act(Failpoint step, String operation, SandboxRequest request) {
        switch (operation) {
            case "CREATE" -> daemon.api().create(request);
            case "EXEC" -> exec(new TestSandbox(daemon.caller(), daemon.api().get("interrupted")), step == Failpoint.EXEC_NUMBERED);
            case "SNAPSHOT" -> daemon.api().capture("interrupted", "half-taken");
            case "STOP" -> daemon.api().stop("interrupted");
            case "START" -> daemon.api().start("interrupted");
            case "UPDATE" -> daemon.api().update("interrupted", Changes.none().memoryMb(300).processes(99).toWire());
            default -> daemon.api().destroy("interrupted");
        }
    }

    private static void exec(TestSandbox box, boolean keyed) {
        box.caller().post(box.path() + "/commands/run", Run.of("true").toRun(), keyed ? Map.of("Idempotency-Key", "once") : Map.of());
    }
}
