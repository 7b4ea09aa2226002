package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A sandbox that was started ahead is like any other for whoever gets it, and nothing of it is left if nobody does. */
@DefaultNetwork
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class SparesTest {
    private static final long MEMORY_MB = 192;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final Set<String> old = new HashSet<>();

    @BeforeAll
    static void keepSpares() throws IOException, InterruptedException {
        SharedDaemon.daemon().stop();
        SharedDaemon.daemon().with("SANDGLASS_KEEP_SPARES", "true").start();
    }

    @AfterAll
    static void keepNoSpares() throws IOException, InterruptedException {
        SharedDaemon.daemon().stop();
        SharedDaemon.daemon().without("SANDGLASS_KEEP_SPARES").start();
    }

    /** One of another shape may be on its way out while that of a test is made. */
    @BeforeEach
    void seeWhatIsThere() {
        old.addAll(spares("container"));
        old.addAll(spares("gvisor"));
    }

    /** What a failed test left must not fail the others. */
    @AfterEach
    void leaveADaemon() throws IOException, InterruptedException {
        daemon.revive();
        daemon.api().list().stream().filter(sandbox -> sandbox.memoryMb() == MEMORY_MB).forEach(sandbox -> daemon.api().destroy(sandbox.id()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void theThirdOfAKindIsTheOneThatWasStartedAhead(String runtime) throws IOException {
        String posture = Files.readString(Path.of("src/test/resources/posture/report.py"));
        try (TestSandbox first = create(runtime, "first"); TestSandbox second = create(runtime, "second")) {
            String spare = spare(runtime);
            SandboxRequest request = like(runtime).name("Third.one").env(Map.of("GREETING", "hello there")).labels(Map.of("a", "b"));
            try (TestSandbox third = daemon.api().create(request)) {
                assertThat(third.id()).isEqualTo(spare);
                assertThat(third.output("hostname; cat /etc/hostname /run/sandglass/name /run/sandglass/id; echo $GREETING"))
                        .isEqualTo("third-one\nthird-one\nThird.one\n" + spare + "\nhello there");
                assertThat(third.output("grep -c third-one /etc/hosts")).isEqualTo("1");
                assertThat(third.output(Run.python(posture))).isEqualTo(first.output(Run.python(posture)));
                assertThat(third.output("cat /etc/machine-id")).isNotEqualTo(second.output("cat /etc/machine-id"));
                assertThat(HostLimits.of(daemon, third.id())).isEqualTo(HostLimits.of(daemon, first.id()));
                Sandbox info = third.info();
                assertThat(info.labels()).containsEntry("a", "b");
                assertThat(info.createdAt()).isAfterOrEqualTo(second.info().startedAt());
                assertThat(third.stop().state()).isEqualTo("stopped");
                assertThat(third.powerOn().state()).isEqualTo("running");
                assertThat(third.output("cat /etc/hostname; echo $GREETING")).isEqualTo("third-one\nhello there");
                assertThat(spare(runtime)).as("the next one").isNotEqualTo(spare);
            }
            assertThat(Leftovers.of(daemon).of(spare)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void noServiceStartsBeforeTheSandboxIsSomebodys(String runtime) {
        String snapshot;
        try (TestSandbox origin = create(runtime, "origin")) {
            origin.services().create(ServiceRequest.shell("named", "hostname >> /workspace/names; exec sleep infinity").unstarted());
            snapshot = daemon.api().capture(origin.id(), null).id();
        }
        try (TestSandbox _ = daemon.api().create(like(runtime).from(snapshot).name("first-" + runtime));
                TestSandbox _ = daemon.api().create(like(runtime).from(snapshot).name("second-" + runtime))) {
            String spare = spare(runtime);
            try (TestSandbox third = daemon.api().create(like(runtime).from(snapshot).name("third-" + runtime))) {
                assertThat(third.id()).isEqualTo(spare);
                third.services().await("named", "running");
                assertThat(Eventually.get(() -> third.output("cat /workspace/names"), names -> !names.isEmpty())).isEqualTo("third-" + runtime);
            }
        } finally {
            daemon.api().deleteSnapshot(snapshot);
        }
    }

    @Test
    void anotherShapeTakesNoneAndOneAloneMakesNone() throws IOException {
        try (TestSandbox _ = create("container", "first"); TestSandbox _ = create("container", "second")) {
            String spare = spare("container");
            try (TestSandbox other = daemon.api().create(SandboxRequest.on("container").memoryMb(MEMORY_MB + 1));
                    TestSandbox strict = daemon.api().create(like("container").security("standard"))) {
                assertThat(List.of(other.id(), strict.id())).doesNotContain(spare);
                assertThat(spare("container")).isEqualTo(spare);
            }
            try (TestSandbox _ = daemon.api().create(like("container").security("standard"));
                    TestSandbox again = daemon.api().create(like("container").security("standard"))) {
                Eventually.get(() -> spares("container"), ids -> ids.size() == 1 && !ids.contains(spare));
                assertThat(again.output("echo fine")).isEqualTo("fine");
            }
        }
    }

    @Test
    void whatIsRefusedCostsNone() throws IOException {
        try (TestSandbox first = create("container", "first"); TestSandbox _ = create("container", "second")) {
            String spare = spare("container");
            refused(ErrorCode.NAME_TAKEN, () -> daemon.api().create(like("container").name(first.name())));
            assertThat(spare("container")).isEqualTo(spare);
            Map<String, String> key = Map.of("Idempotency-Key", UUID.randomUUID().toString());
            Sandbox made = daemon.caller().post("/v1/sandboxes", like("container").toWire(), key).as(Sandbox.class);
            assertThat(made.id()).isEqualTo(spare);
            String next = spare("container");
            assertThat(daemon.caller().post("/v1/sandboxes", like("container").toWire(), key).as(Sandbox.class).id()).isEqualTo(spare);
            assertThat(spare("container")).isEqualTo(next);
            daemon.api().destroy(made.id());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void oneThatHasDiedIsNotGiven(String runtime) throws IOException {
        try (TestSandbox _ = create(runtime, "first"); TestSandbox second = create(runtime, "second")) {
            String spare = spare(runtime);
            Processes.of(daemon, spare).forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
            Eventually.get(() -> Processes.of(daemon, spare), List::isEmpty);
            try (TestSandbox third = create(runtime, "third")) {
                assertThat(third.id()).isNotEqualTo(spare);
                assertThat(third.output("echo fine")).isEqualTo("fine");
                assertThat(second.output("echo fine")).isEqualTo("fine");
                Eventually.get(() -> spares(runtime), ids -> !ids.contains(spare));
            }
        }
    }

    @Test
    void aDaemonTakesItsSparesWithItAndTheNextOneThoseOfADeadOne() throws IOException, InterruptedException {
        create("container", "first").close();
        create("container", "second").close();
        String spare = spare("container");
        daemon.stop();
        assertThat(daemon.run().resolve("sandboxes").resolve(spare)).doesNotExist();
        assertThat(daemon.data().resolve("sandboxes").resolve(spare)).doesNotExist();
        daemon.start();
        create("container", "first").close();
        create("container", "second").close();
        String another = spare("container");
        daemon.kill();
        assertThat(daemon.data().resolve("sandboxes").resolve(another)).exists();
        daemon.start();
        assertThat(spares("container")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"CREATE_IDENTITY", "CREATE_ANSWERED", "CREATE_RUNNING"})
    void aDeathWhileOneIsGivenAwayLeavesNothingHalfDone(Failpoint step) throws IOException, InterruptedException {
        daemon.stop();
        int passes = step == Failpoint.CREATE_IDENTITY ? 3 : 2; // two sandboxes, and a spare gets files too
        daemon.mortalAt(step.name(), passes).start();
        List<TestSandbox> made = new ArrayList<>(List.of(create("container", "first"), create("container", "second")));
        String spare = spare("container");
        assertThatThrownBy(() -> create("container", "third")).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        boolean survives = step == Failpoint.CREATE_RUNNING;
        assertThat(daemon.api().names().contains("third")).isEqualTo(survives);
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
        if (survives) {
            made.add(new TestSandbox(daemon.caller(), daemon.api().get("third")));
            assertThat(made.getLast().id()).isEqualTo(spare);
        }
        made.forEach(box -> assertThat(box.output("hostname")).isEqualTo(box.name()));
        made.forEach(TestSandbox::close);
    }

    /** The ledger has written what it says it has not. */
    @Test
    void aFailureWhileOneIsEnteredLeavesNothingOfIt() throws IOException, InterruptedException {
        daemon.stop();
        daemon.failingAt(Failpoint.CREATE_RUNNING.name(), 2).start();
        try (TestSandbox first = create("container", "first"); TestSandbox _ = create("container", "second")) {
            String spare = spare("container");
            refused(ErrorCode.INTERNAL, () -> create("container", "third"));
            assertThat(daemon.api().names()).doesNotContain("third");
            assertThat(Leftovers.of(daemon).of(spare)).isEmpty();
            try (TestSandbox third = create("container", "third")) {
                assertThat(third.output("hostname")).isEqualTo("third");
                assertThat(first.output("hostname")).isEqualTo("first");
            }
        }
    }

    @Test
    void nobodyGetsTheSameOne() {
        int wanted = 16;
        List<Callable<TestSandbox>> creates = IntStream.range(0, wanted).<Callable<TestSandbox>>mapToObj(i -> () -> create("container", "many-" + i)).toList();
        List<TestSandbox> made = AtOnce.all(creates);
        assertThat(made.stream().map(TestSandbox::id).collect(Collectors.toSet())).hasSize(wanted);
        made.forEach(box -> assertThat(box.output("hostname")).isEqualTo(box.name()));
        made.forEach(TestSandbox::close);
    }

    private static SandboxRequest like(String runtime) {
        return SandboxRequest.on(runtime).memoryMb(MEMORY_MB);
    }

    private TestSandbox create(String runtime, String name) {
        return daemon.api().create(like(runtime).name(name));
    }

    /** The id of the runtime's spare that was made in this test, when it runs. */
    private String spare(String runtime) {
        Set<String> found = Eventually.get(() -> spares(runtime), ids -> ids.size() == 1 && !old.containsAll(ids) && isWhole(ids.iterator().next()));
        return found.iterator().next();
    }

    private boolean isWhole(String id) {
        return Files.exists(daemon.data().resolve("sandboxes").resolve(id).resolve("agent")) && !Processes.of(daemon, id).isEmpty();
    }

    /** Those of which an engine of the runtime knows, and the API does not. */
    private Set<String> spares(String runtime) {
        try {
            Set<String> strays = Leftovers.of(daemon).strays();
            Path engine = daemon.run().resolve("state").resolve(runtime.equals("gvisor") ? "runsc" : "crun");
            return Leftovers.entries(engine).stream()
                    .flatMap(file -> Pattern.compile("sbx-[a-z0-9]{12}").matcher(file.getFileName().toString()).results())
                    .map(MatchResult::group)
                    .filter(id -> strays.stream().anyMatch(line -> line.endsWith(id)))
                    .collect(Collectors.toSet());
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
