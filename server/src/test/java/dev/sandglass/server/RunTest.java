package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.RunSandbox;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A sandbox that is made for one command is there for as long as that is, and not longer, whoever dies first. */
@DefaultNetwork
@OnEveryRuntime
class RunTest {
    private static final Map<String, String> MARK = Map.of("made-by", "run-test");

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    RunTest(String runtime) {
        this.runtime = runtime;
    }

    @BeforeEach
    void begin() {
        assertThat(mine()).isEmpty();
    }

    @AfterEach
    void revive() throws IOException, InterruptedException {
        daemon.revive();
        mine().forEach(left -> daemon.api().destroy(left.id())); // what a failed test left must not fail the others
    }

    @Test
    void outputInputAndEndAreThoseOfTheCommand() throws IOException {
        Run command = Run.shell("echo begun; read -r line; echo \"got $line\"; echo aside >&2; exit 7").withInput();
        try (Attached run = run(command)) {
            assertThat(run.awaitStart().sandbox().runtime()).isEqualTo(runtime);
            run.type("a word\n");
            Exit exit = run.awaitExit();
            assertThat(exit.code()).isEqualTo(7);
            assertThat(run.text()).contains("begun\n", "got a word\n", "aside\n");
            assertNothingIsLeft(run.awaitStart().sandbox());
            assertThat(run.awaitClose()).isEqualTo(1000);
        }
    }

    @Test
    void aTerminalIsOneHereToo() {
        try (Attached run = run(Run.shell("read -r _; stty size").pty(80, 24))) {
            run.awaitStart();
            run.resize(101, 33);
            run.type("\n");
            assertThat(run.awaitExit().code()).isZero();
            assertThat(run.text()).contains("33 101");
        }
    }

    @Test
    void aTimeLimitEndsItAndTheSandbox() throws IOException {
        try (Attached run = run(Run.of("sleep", "1000").timeout(200))) {
            assertThat(run.awaitExit().reason()).isEqualTo("timeout");
            assertNothingIsLeft(run.awaitStart().sandbox());
        }
    }

    @Test
    void whatCannotRunLeavesNoSandbox() throws IOException {
        try (Attached run = run(Run.of("/no/such/program"))) {
            refused(ErrorCode.PROGRAM_NOT_FOUND, run::awaitStart);
        }
        try (Attached run = run(Run.of(""))) {
            refused(ErrorCode.INVALID_REQUEST, run::awaitStart);
        }
        RunSandbox small = new RunSandbox(SandboxRequest.on(runtime).memoryMb(1).toWire(), Run.of("true").toStart());
        try (Attached run = Attached.run(daemon.caller(), small)) {
            assertThat(refused(ErrorCode.INVALID_REQUEST, run::awaitStart).what()).contains("sandbox.memory_mb: 1");
        }
        try (Attached wordless = Attached.to(daemon.caller(), "/v1/run")) {
            wordless.type("no request");
            refused(ErrorCode.INVALID_REQUEST, wordless::awaitStart);
        }
        assertThat(mine()).isEmpty();
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
    }

    @Test
    void aClientThatLeavesTakesTheSandboxAlong() throws IOException {
        Sandbox made;
        try (Attached run = run(Run.of("sleep", "7411"))) {
            made = run.awaitStart().sandbox();
            assertThat(box(made).count("sleep 7411")).isEqualTo(1);
        }
        Eventually.get(this::mine, List::isEmpty);
        assertNothingIsLeft(made);
    }

    @Test
    void whatCouldNotBeTakenAwayAtOnceIsTakenAwayLater() throws IOException {
        Sandbox made;
        try (LedgerFile.Refusal _ = LedgerFile.refusing(daemon, "destroying")) {
            try (Attached run = run(Run.of("sleep", "7416"))) {
                made = run.awaitStart().sandbox();
            }
            Eventually.get(this::log, log -> log.contains("The sandbox " + made.id() + " of a run could not be taken away"));
            assertThat(box(made).now().state()).isEqualTo("running");
            daemon.api().update(made.id(), Changes.none().timeout(600).toWire()); // whoever changes it does not keep it
        }
        Eventually.get(this::mine, List::isEmpty);
        assertNothingIsLeft(made);
    }

    @Test
    void aClientThatLeavesBeforeTheSandboxIsThereLeavesNone() throws IOException, InterruptedException {
        daemon.holdingAt(Failpoint.CREATE_RUNNING.name());
        Attached run = run(Run.of("sleep", "7412"));
        daemon.atTheStep(run::close);
        Eventually.get(this::mine, List::isEmpty);
        Eventually.get(this::unconfirmed, count -> count == 0);
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"CREATE_RUNNING", "EXEC_BEGUN", "EXEC_STARTED", "DESTROY_RECORDED", "DESTROY_DONE"})
    void aDaemonThatDiesMeanwhileIsFollowedByOneThatTakesItAway(Failpoint step) throws IOException, InterruptedException {
        daemon.mortalAt(step.name());
        try (Attached run = run(Run.of("true"))) {
            assertThat(daemon.awaitEnd()).isEqualTo(137);
            run.awaitClose();
        } catch (AssertionError broken) {
            assertThat(broken).hasRootCauseInstanceOf(IOException.class);
        }
        daemon.revive();
        assertThat(mine()).isEmpty();
        assertThat(unconfirmed()).isZero();
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
    }

    @Test
    void aDaemonThatIsKilledWhileTheCommandRunsIsFollowedByOneThatTakesItAway() throws IOException, InterruptedException {
        try (Attached run = run(Run.of("sleep", "7413"))) {
            Sandbox made = run.awaitStart().sandbox();
            daemon.kill();
            daemon.start();
            assertNothingIsLeft(made);
        }
    }

    @Test
    void aDaemonThatStopsTakesItAlong() throws IOException, InterruptedException {
        try (Attached run = run(Run.of("sleep", "7414"))) {
            Sandbox made = run.awaitStart().sandbox();
            daemon.stop();
            daemon.start();
            assertNothingIsLeft(made);
        }
    }

    @Test
    void oneThatHasANameStaysAndSoDoesItsCommand() throws IOException, InterruptedException {
        RunSandbox named = new RunSandbox(SandboxRequest.on(runtime).name("run-kept").labels(MARK).toWire(), Run.of("sleep", "7415").toStart());
        Sandbox made;
        try (Attached run = Attached.run(daemon.caller(), named)) {
            made = run.awaitStart().sandbox();
            assertThat(made.name()).isEqualTo("run-kept");
        }
        daemon.kill();
        daemon.start();
        assertThat(box(made).count("sleep 7415")).isEqualTo(1);
        assertThat(box(made).commands()).hasSize(1);
    }

    private Attached run(Run command) {
        return Attached.run(daemon.caller(), new RunSandbox(SandboxRequest.on(runtime).labels(MARK).toWire(), command.toStart()));
    }

    private TestSandbox box(Sandbox made) {
        return new TestSandbox(daemon.caller(), made);
    }

    private List<Sandbox> mine() {
        return daemon.api().list().stream().filter(sandbox -> sandbox.labels().equals(MARK)).toList();
    }

    private String log() {
        try {
            return Files.readString(daemon.log());
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private long unconfirmed() {
        return LedgerFile.numbers(daemon, "SELECT count(*) FROM unconfirmed").getFirst();
    }

    private void assertNothingIsLeft(Sandbox made) throws IOException {
        assertThat(daemon.api().names()).doesNotContain(made.name());
        assertThat(Leftovers.of(daemon).of(made.id())).isEqualTo(Set.of());
        Eventually.get(this::unconfirmed, count -> count == 0);
    }
}
