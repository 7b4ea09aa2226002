package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.CaptureTemplate;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandboxPool;
import dev.sandglass.wire.TemplateStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sandboxes that are kept ready are as good as those that are begun when somebody wants one, and nobody's until they are claimed. */
@OnEveryRuntime
@Timeout(600)
class PoolTest {
    private static final String NAME = "ready";

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestPools pools = new TestPools(daemon);
    private final TestVolumes volumes = new TestVolumes(daemon.caller());
    private final String runtime;
    private final Set<String> there = new HashSet<>();

    PoolTest(String runtime) {
        this.runtime = runtime;
    }

    @BeforeEach
    void seeWhatIsThere() {
        there.addAll(daemon.api().names());
    }

    @AfterEach
    void leaveNothing() throws IOException, InterruptedException {
        daemon.revive();
        pools.clear();
        daemon.api().names().stream().filter(name -> !there.contains(name)).forEach(daemon.api()::destroy);
        volumes.removeAll();
        new TestTemplates(daemon).clear();
        daemon.api().snapshots().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
    }

    private String snapshot(String script) {
        try (TestSandbox origin = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            origin.output(script);
            return daemon.api().capture(origin.id(), NAME).id();
        }
    }

    private TestSandbox claim(String name) {
        return daemon.api().create(new SandboxRequest().from(NAME).name(name));
    }

    @Test
    void whoClaimsOneHasANewSandboxOfHisOwn() throws IOException {
        snapshot("echo mine > /root/file");
        SandboxPool filled = pools.filled(NAME, 2, null);
        assertThat(filled.memoryBytes()).isPositive();
        Set<String> waiting = pools.waiting();
        try (TestSandbox first = claim("First.one"); TestSandbox second = claim("second")) {
            assertThat(waiting).contains(first.id(), second.id());
            assertThat(first.output("hostname; cat /etc/hostname /run/sandglass/name /run/sandglass/id /root/file; grep -c first-one /etc/hosts"))
                    .isEqualTo("first-one\nfirst-one\nFirst.one\n" + first.id() + "\nmine\n1");
            assertThat(second.output("hostname")).isEqualTo("second");
            for (String own : List.of("/etc/machine-id", "/run/sandglass/generation", "/run/sandglass/identity.env")) {
                assertThat(first.output("cat " + own)).as(own).isNotBlank().isNotEqualTo(second.output("cat " + own));
            }
            first.output("echo changed > /root/file");
            assertThat(second.output("cat /root/file")).isEqualTo("mine");
            assertThat(pools.filled(NAME).claimed()).isEqualTo(2);
            assertThat(first.stop().state()).isEqualTo("stopped");
            assertThat(first.powerOn().state()).isEqualTo("running");
            assertThat(first.output("hostname; cat /root/file")).isEqualTo("first-one\nchanged");
        }
        assertThat(Leftovers.of(daemon).of(waiting.iterator().next())).isEmpty();
    }

    @Test
    void whatIsAskedForHoldsFromTheClaimOn() throws IOException {
        snapshot("true");
        volumes.create("data", 16);
        pools.filled(NAME, 1, null);
        Set<String> waiting = pools.waiting();
        SandboxRequest request = new SandboxRequest().from(NAME).memoryMb(192).processes(64).env(Map.of("GREETING", "hello there")).labels(Map.of("a", "b")).volume("data", "/data", null);
        try (TestSandbox claimed = daemon.api().create(request); TestSandbox fresh = daemon.api().create(SandboxRequest.on(runtime).memoryMb(192).processes(64))) {
            assertThat(waiting).contains(claimed.id());
            assertThat(claimed.output("echo $GREETING; echo kept > /data/file; cat /data/file")).isEqualTo("hello there\nkept");
            assertThat(HostLimits.of(daemon, claimed.id())).isEqualTo(HostLimits.of(daemon, fresh.id()));
            assertThat(claimed.run(Run.python("x = bytearray(400 << 20)\nprint(len(x))")).exit().code()).as("more memory than it may have").isNotZero();
            assertThat(claimed.now().labels()).containsEntry("a", "b");
            assertThat(claimed.now().memoryMb()).isEqualTo(192);
        }
    }

    @Test
    void whatWasWarmedUpGoesOnAndKnowsItsName() {
        snapshot("true");
        pools.filled(NAME, 2, "hostname; cat /etc/hostname /etc/hosts > /root/seen; echo $$ > /root/pid; (sleep 86399 > /dev/null 2>&1 &)");
        Set<String> waiting = pools.waiting();
        try (TestSandbox first = claim("first"); TestSandbox second = claim("second")) {
            assertThat(waiting).contains(first.id(), second.id());
            for (TestSandbox box : List.of(first, second)) {
                assertThat(box.count("sleep 86399")).isEqualTo(1);
                assertThat(box.output("hostname; cat /etc/hostname; grep -c " + box.name() + " /etc/hosts; stat -c %s /etc/hostname"))
                        .isEqualTo(box.name() + "\n" + box.name() + "\n1\n" + (box.name().length() + 1));
                assertThat(box.commands()).isEmpty();
            }
        }
    }

    @Test
    void whatWasWarmedUpIsForNobodyWhoMeantAnotherSnapshotOfTheSameLayers() {
        try (TestSandbox origin = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            origin.output("echo mine > /root/file");
            daemon.api().capture(origin.id(), NAME);
            String same = daemon.api().capture(origin.id(), "same").id();
            pools.filled(NAME, 1, "echo warm > /root/state");
            Set<String> waiting = pools.waiting();
            try (TestSandbox other = daemon.api().create(new SandboxRequest().from(same))) {
                assertThat(waiting).doesNotContain(other.id());
                assertThat(other.output("ls /root/file /root/state 2>/dev/null || true")).isEqualTo("/root/file");
            }
            try (TestSandbox meant = claim("meant")) {
                assertThat(waiting).contains(meant.id());
            }
        }
    }

    @Test
    void aClaimWaitsForWhatIsToKnowThatItGoesOn() {
        snapshot("""
                mkdir -p /etc/sandglass/on-resume.d
                printf '#!/bin/sh\\nsleep 4; echo known > /root/known\\n' > /etc/sandglass/on-resume.d/slow
                chmod 755 /etc/sandglass/on-resume.d/slow""");
        pools.filled(NAME, 1, "true");
        Set<String> waiting = pools.waiting();
        try (TestSandbox box = claim("slow")) {
            assertThat(waiting).contains(box.id());
            assertThat(box.output("cat /root/known")).isEqualTo("known");
        }
    }

    @Test
    void aWarmUpThatHangsKeepsNoOtherPoolFromBeingFilled() throws IOException {
        snapshot("true");
        try (TestSandbox origin = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            daemon.api().capture(origin.id(), "quick");
        }
        pools.set(NAME, 2, null, "sleep 250");
        Eventually.get(() -> pools.get(NAME), pool -> pool.filling() > 0);
        Eventually.get(pools::waiting, ids -> !ids.isEmpty());
        pools.filled("quick", 1, "true");
        assertThat(pools.get(NAME).ready()).isZero();
        pools.remove("quick");
        pools.remove(NAME);
        Eventually.get(pools::waiting, Set::isEmpty);
    }

    @Test
    void oneThatDiesWhileItIsWarmedUpIsSaidAndTakenAway() {
        snapshot("true");
        pools.set(NAME, 1, null, "sleep 250");
        Eventually.get(() -> pools.get(NAME), pool -> pool.filling() == 1);
        String warming = Eventually.get(pools::waiting, ids -> ids.size() == 1).iterator().next();
        List<Long> inside = Eventually.get(() -> Processes.of(daemon, warming), all -> !all.isEmpty());
        inside.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        assertThat(Eventually.get(() -> pools.get(NAME), pool -> pool.problem() != null).problem()).isNotBlank();
        Eventually.get(pools::waiting, ids -> !ids.contains(warming));
    }

    @Test
    void whatCannotBeTakenAwayIsTakenAwayLater() throws IOException {
        snapshot("true");
        pools.filled(NAME, 1, null);
        String waiting = pools.waiting().iterator().next();
        Path identity = daemon.data().resolve("sandboxes").resolve(waiting);
        Path obstacle = Files.createDirectories(identity.resolve("in-the-way/deep"));
        pools.remove(NAME);
        Eventually.get(this::log, text -> text.contains(waiting + " could not be taken away"));
        assertThat(identity).exists();
        Files.delete(obstacle);
        Eventually.get(() -> Files.exists(identity), there -> !there);
    }

    private String log() {
        try {
            return Files.readString(daemon.log());
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    @Test
    void whatWaitsForATemplateHasNoneOfItsCredentialsBeforeItIsClaimed() {
        daemon.caller().post("/v1/credentials", new CreateCredential("model", "tell-nobody-91d3e7", null, null, null, null, null, null, null, null, null, null, "anthropic", null, null));
        TestTemplates templates = new TestTemplates(daemon);
        try {
            templates.create("name: trusted\nruntime: " + runtime + "\nresources: {memory_mb: 256}\ncredentials: [model]\nnetwork: {preset: package-registries}\nsetup: 'true'\n");
            templates.built("trusted");
            pools.filled("trusted", 1, "env > /root/env");
            Set<String> waiting = pools.waiting();
            try (TestSandbox box = daemon.api().create(new SandboxRequest().from("trusted"))) {
                assertThat(waiting).contains(box.id());
                assertThat(box.now().credentials()).containsExactly("model");
                assertThat(box.output("env")).contains("ANTHROPIC_API_KEY");
                assertThat(box.output("cat /root/env")).contains("HOME").doesNotContain("ANTHROPIC_API_KEY");
            }
            pools.remove("trusted");
            templates.delete("trusted");
        } finally {
            daemon.caller().delete("/v1/credentials/model");
        }
    }

    @Test
    void aBuildBeginsWithWhatWasCapturedAndNotWithWhatAWarmUpLeft() {
        snapshot("true");
        pools.filled(NAME, 1, "echo warm > /root/state");
        TestTemplates templates = new TestTemplates(daemon);
        templates.create("name: built\nruntime: " + runtime + "\nfrom: " + NAME + "\nsetup: '! test -e /root/state'\n");
        templates.built("built");
        assertThat(pools.get(NAME).claimed()).isZero();
        templates.delete("built");
    }

    @Test
    void aWarmUpThatFailsIsSaidAndNothingOfItWaits() {
        snapshot("true");
        pools.set(NAME, 1, null, "echo this went wrong >&2; exit 3");
        SandboxPool failing = Eventually.get(() -> pools.get(NAME), pool -> pool.problem() != null);
        assertThat(failing.problem()).contains("status 3").contains("this went wrong");
        try (TestSandbox box = claim("without")) {
            assertThat(box.output("hostname")).isEqualTo("without");
        }
        assertThat(pools.get(NAME).missed()).isEqualTo(1);
    }

    @Test
    void processesOfASnapshotGoOnInThoseThatWait() {
        CapturedMemory.assumeOn(runtime);
        try (TestSandbox origin = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            origin.start(Run.shell("exec sleep 86398"));
            String snapshot = daemon.api().captureAll(origin.id()).id();
            pools.filled(snapshot, 2, null);
            Set<String> waiting = pools.waiting();
            try (TestSandbox first = daemon.api().create(new SandboxRequest().from(snapshot).name("first").env(Map.of("A", "b")));
                    TestSandbox second = daemon.api().create(new SandboxRequest().from(snapshot).name("second"))) {
                assertThat(waiting).contains(first.id(), second.id());
                assertThat(first.count("sleep 86398")).isEqualTo(1);
                assertThat(first.output("hostname; cat /etc/hostname; echo $A")).isEqualTo("first\nfirst\nb");
                for (String own : List.of("/etc/machine-id", "/run/sandglass/generation")) {
                    assertThat(first.output("cat " + own)).as(own).isNotEqualTo(second.output("cat " + own)).isNotEqualTo(origin.output("cat " + own));
                }
            }
            pools.remove(snapshot);
        }
    }

    @Test
    void oneThatIsDeadOrDeafIsNeverGiven() throws IOException {
        snapshot("true");
        pools.filled(NAME, 2, null);
        List<String> waiting = List.copyOf(pools.waiting());
        Processes.of(daemon, waiting.getFirst()).forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        Processes.signal("STOP", Processes.of(daemon, waiting.getLast()));
        try (TestSandbox box = claim("alive")) {
            assertThat(waiting).doesNotContain(box.id());
            assertThat(box.output("hostname")).isEqualTo("alive");
            pools.filled(NAME);
            Eventually.get(pools::waiting, ids -> ids.stream().noneMatch(waiting::contains));
        }
    }

    @Test
    void theyCostNoProcessorTimeWhileTheyWait() {
        snapshot("true");
        pools.filled(NAME, 2, "(while :; do :; done > /dev/null 2>&1 &)");
        Map<String, String> before = used();
        try (TestSandbox busy = daemon.api().create(SandboxRequest.on(runtime))) {
            busy.output("for i in $(seq 20); do ls -R /etc > /dev/null; done");
        }
        assertThat(used()).isEqualTo(before);
    }

    private Map<String, String> used() {
        Map<String, String> all = new HashMap<>();
        pools.waiting().forEach(id -> all.put(id, TestPools.processorTime(daemon, id)));
        return all;
    }

    @Test
    void moreAtOnceThanThereAreGetOneEach() {
        snapshot("true");
        pools.filled(NAME, 8, null);
        Set<String> waiting = pools.waiting();
        List<Callable<TestSandbox>> claims = IntStream.range(0, 32).<Callable<TestSandbox>>mapToObj(i -> () -> claim("many-" + i)).toList();
        List<TestSandbox> claimed = AtOnce.all(claims);
        Set<String> ids = claimed.stream().map(TestSandbox::id).collect(Collectors.toSet());
        assertThat(ids).hasSize(32).containsAll(waiting);
        claimed.forEach(box -> assertThat(box.output("hostname")).isEqualTo(box.name()));
        SandboxPool after = pools.filled(NAME);
        assertThat(after.claimed()).isGreaterThanOrEqualTo(8);
        assertThat(after.claimed() + after.missed()).isEqualTo(32);
        claimed.forEach(TestSandbox::close);
    }

    @Test
    void itGrowsWhenMoreAreWantedThanThereAre() {
        snapshot("true");
        pools.set(NAME, 0, 2L, null);
        claim("first").close();
        assertThat(Eventually.get(() -> pools.get(NAME), pool -> pool.ready() == 1).missed()).isEqualTo(1);
        String waiting = pools.waiting().iterator().next();
        try (TestSandbox second = claim("second")) {
            assertThat(second.id()).isEqualTo(waiting);
        }
    }

    @Test
    void whatCannotBeMetByOneThatWaitsIsBegunAnew() {
        snapshot("true");
        pools.filled(NAME, 1, null);
        Set<String> waiting = pools.waiting();
        try (TestSandbox other = daemon.api().create(new SandboxRequest().from(NAME).security("standard"))) {
            assertThat(waiting).doesNotContain(other.id());
            assertThat(pools.get(NAME).missed()).isEqualTo(1);
            assertThat(pools.waiting()).isEqualTo(waiting);
        }
    }

    @Test
    void theyAreMadeAnewWhenTheNameMoves() {
        try (TestSandbox origin = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            origin.output("echo one > /root/version");
            capture(origin);
            pools.filled(NAME, 1, null);
            Set<String> old = pools.waiting();
            origin.output("echo two > /root/version");
            TemplateStatus moved = capture(origin);
            try (TestSandbox now = claim("now")) {
                assertThat(now.output("cat /root/version")).isEqualTo("two");
            }
            Eventually.get(() -> pools.get(NAME), pool -> Objects.equals(moved.snapshot(), pool.snapshot()) && pool.ready() == 1);
            Eventually.get(pools::waiting, ids -> ids.size() == 1 && ids.stream().noneMatch(old::contains));
            Set<String> fresh = pools.waiting();
            try (TestSandbox next = claim("next")) {
                assertThat(fresh).contains(next.id());
                assertThat(next.output("cat /root/version")).isEqualTo("two");
            }
        }
    }

    private TemplateStatus capture(TestSandbox origin) {
        return daemon.caller().post("/v1/templates/capture", new CaptureTemplate(NAME, origin.id(), null)).as(TemplateStatus.class);
    }

    @Test
    void whatAPoolBeginsWithDoesNotVanish() {
        String snapshot = snapshot("true");
        pools.set(NAME, 1, null, null);
        refused(ErrorCode.CONFLICT, () -> daemon.api().deleteSnapshot(snapshot));
        refused(ErrorCode.POOL_NOT_FOUND, () -> pools.remove("nothing"));
        refused(ErrorCode.SNAPSHOT_NOT_FOUND, () -> pools.set("nothing", 1, null, null));
        pools.remove(NAME);
        Eventually.get(pools::waiting, Set::isEmpty);
        daemon.api().deleteSnapshot(snapshot);
    }
}
