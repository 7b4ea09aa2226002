package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxStats;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
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
    private static final int CYCLES = Soak.on() ? 50 : 3;

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

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void checkpointsThatCannotHaveProcessesAreWarnedOf(String runtime) {
        boolean diskOnly = endsProcesses(runtime);
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).checkpoints(600, 2).restart("from-checkpoint"))) {
            assertThat(box.info().warnings()).hasSize(diskOnly ? 1 : 0).allMatch(warning -> warning.contains("checkpoints have its disk only"));
            assertThat(daemon.api().update(box.id(), Changes.none().timeout(600).toWire()).warnings()).as("it stays so").isEqualTo(box.info().warnings());
        }
    }

    @Test
    void whatCannotBeCapturedDoesNotOutlastItsTime() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).timeout(600).onTimeout("pause"))) {
            Command holding = box.start(Run.shell("echo kept > /workspace/file; exec 3> /workspace/gone; rm /workspace/gone; sleep 1000"));
            Eventually.get(() -> box.output("ls /workspace"), "file"::equals);
            refused(ErrorCode.SNAPSHOT_BLOCKED, () -> box.pause(false));
            daemon.api().update(box.id(), Changes.none().timeout(1).toWire());
            awaitState(box, "paused");
            daemon.api().update(box.id(), Changes.none().timeout(600).toWire());
            box.resume(false);
            assertThat(box.output("cat /workspace/file")).isEqualTo("kept");
            refused(ErrorCode.COMMAND_NOT_FOUND, () -> box.command(holding.id()));
            assertThat(daemon.api().allSnapshots()).isEmpty();
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

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void useWakesItOnce(String runtime) {
        boolean diskOnly = endsProcesses(runtime);
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).autoResume())) {
            Command reading = box.start(Run.shell("word=remembered; read -r line; echo $word $line").withInput());
            box.pause(diskOnly);
            List<String> all = AtOnce.all(Collections.nCopies(AT_ONCE, () -> box.output("cat /run/sandglass/generation")));
            assertThat(all).as("woken once").containsOnly(all.getFirst()).doesNotContain("1");
            box.pause(diskOnly);
            box.files().write("/workspace/file", "written");
            assertThat(box.output("cat /workspace/file")).isEqualTo("written");
            assertThat(box.output("cat /run/sandglass/generation")).isNotIn("1", all.getFirst());
            box.pause(diskOnly);
            if (diskOnly) {
                refused(ErrorCode.COMMAND_NOT_FOUND, () -> box.input(reading, "on\n", true));
                assertThat(box.now().state()).as("awake, though there is no such command").isEqualTo("running");
                return;
            }
            box.input(reading, "on\n", true);
            box.await(reading);
            box.pause(false);
            assertThat(box.said(reading)).contains("remembered on");
        }
    }

    /** On a runtime that keeps processes also whoever comes before. */
    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void whoComesWhileItGoesToRestWakesIt(String runtime) throws IOException, InterruptedException {
        boolean diskOnly = endsProcesses(runtime);
        daemon.holdingAt(Failpoint.PAUSE_RECORDED.name());
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).autoResume())) {
            List<Callable<String>> awake = Collections.nCopies(6, () -> box.output("echo awake"));
            List<Callable<String>> all = new ArrayList<>(awake);
            all.add(() -> box.pause(diskOnly).state());
            CompletableFuture<String> pause = CompletableFuture.supplyAsync(() -> box.pause(diskOnly).state());
            CompletableFuture<List<String>> uses = new CompletableFuture<>();
            daemon.atTheStep(() -> uses.completeAsync(() -> AtOnce.all(awake)));
            assertThat(pause.join()).isEqualTo("paused");
            assertThat(uses.join()).hasSize(6).containsOnly("awake");
            for (int i = 0; i < 4 && !diskOnly; i++) {
                assertThat(AtOnce.all(all)).endsWith("paused").filteredOn("awake"::equals).hasSize(6);
            }
        } finally {
            daemon.disarmed();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"container", "gvisor"})
    void useWhileItGoesToRestKeepsItAwake(String runtime) throws IOException, InterruptedException {
        List<String> kept = endsProcesses(runtime) ? List.of() : List.of("pause");
        daemon.holdingAt(Failpoint.PAUSE_CAPTURED.name());
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).ttl(1))) {
            daemon.atTheStep(() -> {
                assertThat(daemon.api().allSnapshots()).extracting(Snapshot::purpose).isEqualTo(kept);
                assertThat(box.commands()).as("a use that needs no answer from inside").isEmpty();
            });
            assertThat(box.output("cat /run/sandglass/generation")).as("it does not rest, so it needs nobody to wake it").isEqualTo("1");
            Eventually.get(() -> box.now().state(), "paused"::equals);
            assertThat(daemon.api().allSnapshots()).as("nothing is kept of the first time").hasSameSizeAs(kept);
        } finally {
            daemon.disarmed();
        }
    }

    private static boolean endsProcesses(String runtime) {
        return CapturedMemory.obstacle(runtime).isPresent();
    }

    @Test
    void whatIsOpenKeepsItAwake() throws IOException {
        try (TestSandbox idle = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).ttl(1).autoResume());
                TestSandbox watched = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256));
                TestSandbox attached = daemon.api().create(SandboxRequest.on("container"));
                TestSandbox read = daemon.api().create(SandboxRequest.on("container"))) {
            read.output("head -c 64M /dev/zero > /workspace/large");
            List<TestSandbox> open = List.of(watched, attached, read);
            Watching watching = watched.files().watch("/workspace", false);
            Attached shell = attached.attach(attached.start(Run.of("cat").pty(80, 24)));
            InputStream transfer = read.files().open("/workspace/large");
            open.forEach(box -> daemon.api().update(box.id(), Changes.none().ttl(1).toWire()));
            awaitState(idle, "paused");
            idle.output("true");
            awaitState(idle, "paused"); // they had time to rest twice
            assertThat(open).extracting(box -> box.now().state()).containsOnly("running");
            watched.output("touch /workspace/file");
            watching.await("create file");
            shell.type("still here\n");
            Eventually.get(shell::text, text -> text.contains("still here"));
            assertThat(transfer.readAllBytes()).hasSize(64 << 20);
            transfer.close();
            watching.close();
            shell.type("\u0004");
            shell.awaitExit();
            shell.close();
            open.forEach(box -> awaitState(box, "paused"));
        }
    }

    /** However slow the machine is: a try counts when no two refreshes were further apart than the time they begin anew. */
    @Test
    void refreshKeepsItAwake() {
        Duration ttl = Duration.ofSeconds(3);
        boolean counts = false;
        for (int tries = 0; tries < 5 && !counts; tries++) {
            try (TestSandbox idle = daemon.api().create(SandboxRequest.on("container").ttl(ttl.toSeconds()));
                    TestSandbox refreshed = daemon.api().create(SandboxRequest.on("container").ttl(ttl.toSeconds()))) {
                List<Long> times = new ArrayList<>(List.of(System.nanoTime()));
                Eventually.get(
                        () -> {
                            daemon.caller().post(refreshed.path() + "/refresh");
                            times.add(System.nanoTime());
                            return idle.now().state();
                        },
                        "paused"::equals);
                String state = refreshed.now().state();
                times.add(System.nanoTime());
                counts = IntStream.range(1, times.size()).mapToLong(i -> times.get(i) - times.get(i - 1)).max().orElseThrow() < ttl.toNanos();
                assertThat(counts && !state.equals("running")).as("it is " + state).isFalse();
            }
        }
        assertThat(counts).as("one try was quick enough").isTrue();
    }

    @Test
    void whoRefreshesItWhileItGoesToRestKeepsItAwake() throws IOException, InterruptedException {
        daemon.holdingAt(Failpoint.PAUSE_CAPTURED.name());
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").ttl(5))) {
            CompletableFuture<Sandbox> refreshed = new CompletableFuture<>();
            daemon.atTheStep(() -> {
                refreshed.completeAsync(() -> daemon.caller().post(box.path() + "/refresh").as(Sandbox.class));
                // What is due is due now, whenever one looks; what was used is due some seconds later.
                Eventually.get(() -> Duration.between(Instant.now(), box.now().ttlAt()), left -> left.toMillis() > 500);
            });
            assertThat(refreshed.join().state()).isEqualTo("running");
        } finally {
            daemon.disarmed();
        }
    }

    /** What runs there is no command, or it would not rest. */
    @Test
    void restingAndWakingAgainAndAgainLosesNothing() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).ttl(1).autoResume())) {
            box.output("setsid sh -c 'n=0; while :; do n=$((n+1)); echo $n > /workspace/new; mv /workspace/new /workspace/n; sleep 0.05; done' > /dev/null 2>&1 < /dev/null &");
            long last = 0;
            for (int cycle = 1; cycle <= CYCLES; cycle++) {
                long before = last;
                last = Eventually.get(() -> Long.parseLong(box.output("cat /workspace/n 2> /dev/null || echo 0")), n -> n > before);
                box.output("echo " + cycle + " >> /workspace/log");
                awaitState(box, "paused");
                assertThat(Long.parseLong(box.output("cat /run/sandglass/generation"))).isGreaterThan(cycle);
                assertThat(Long.parseLong(box.output("cat /workspace/n"))).isGreaterThanOrEqualTo(last);
            }
            assertThat(box.output("cat /workspace/log").lines().toList()).isEqualTo(IntStream.rangeClosed(1, CYCLES).mapToObj(String::valueOf).toList());
        }
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    @Test
    void refreshLetsTimesBeginAnew() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").timeout(600).hardTtl(700))) {
            Sandbox later = daemon.caller().post(box.path() + "/refresh").as(Sandbox.class);
            assertThat(later.timeoutAt()).isAfter(box.info().timeoutAt());
            assertThat(later.hardTtlAt()).isAfter(box.info().hardTtlAt());
        }
    }

    /** Though nobody has used it for a while: the first look would find its time over. */
    @Test
    void anotherTtlCountsFromNow() throws IOException, InterruptedException {
        Duration hour = Duration.ofHours(1);
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").ttl(hour.toSeconds()))) {
            Instant used = Objects.requireNonNull(box.now().ttlAt()).minus(hour);
            Eventually.get(Instant::now, now -> now.isAfter(used.plusSeconds(3)));
            Instant told = Instant.now().minusMillis(100);
            assertThat(daemon.api().update(box.id(), Changes.none().ttl(2 * hour.toSeconds()).toWire()).ttlAt()).isAfter(told.plus(hour).plus(hour));
            daemon.kill();
            daemon.revive();
            assertThat(box.now().ttlAt()).as("by the next daemon").isAfter(told.plus(hour).plus(hour));
            Instant labelled = Instant.now();
            assertThat(daemon.api().update(box.id(), Changes.none().name("another-name").toWire()).ttlAt()).as("what says nothing of times").isBefore(labelled.plus(hour).plus(hour));
        }
    }

    /** All instants are those that the daemon itself tells: however slow the machine is, times that began with a daemon would be over later. */
    @Test
    void timesGoOnWhenTheDaemonDies() throws IOException, InterruptedException {
        Duration hour = Duration.ofHours(1);
        Duration unused = Duration.ofSeconds(6);
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").ttl(hour.toSeconds()).checkpoints(hour.toSeconds(), 2))) {
            box.output("true");
            Sandbox before = box.now();
            Instant rest = Objects.requireNonNull(before.ttlAt());
            Instant checkpoint = Objects.requireNonNull(before.checkpointAt());
            assertThat(rest).isAfterOrEqualTo(checkpoint);
            Eventually.get(Instant::now, now -> now.isAfter(rest.minus(hour).plus(unused)));
            daemon.kill();
            Instant another = Instant.now();
            daemon.revive();
            assertThat(box.now().ttlAt()).as("when it rests").isBetween(rest.minusSeconds(1), another.plus(hour).minusSeconds(1));
            assertThat(box.now().checkpointAt()).as("when it is captured").isBetween(checkpoint.minusSeconds(1), another.plus(hour).minusSeconds(1));

            Instant refreshed = daemon.caller().post(box.path() + "/refresh").as(Sandbox.class).ttlAt();
            assertThat(refreshed).isAfterOrEqualTo(another.plus(hour));
            daemon.kill();
            daemon.revive();
            assertThat(box.now().ttlAt()).as("when it rests after it was refreshed").isAfterOrEqualTo(another.plus(hour).minusMillis(100));
            Command busy = box.start(Run.of("sleep", "1000"));
            assertThat(box.now().ttlAt()).as("nothing that is known while something runs").isNull();
            daemon.kill();
            daemon.revive();
            assertThat(box.now().ttlAt()).isNull();
            assertThat(box.command(busy.id()).state()).isEqualTo("running");
        }
    }

    @Test
    void whatNobodyUsedWhileNoDaemonLookedRestsAndIsCapturedByTheNext() throws IOException, InterruptedException {
        try (TestSandbox resting = daemon.api().create(SandboxRequest.on("container").ttl(600));
                TestSandbox captured = daemon.api().create(SandboxRequest.on("container").checkpoints(600, 2))) {
            daemon.api().update(resting.id(), Changes.none().ttl(4).toWire());
            daemon.api().update(captured.id(), Changes.none().checkpoints(4, 2).toWire());
            Instant rest = Objects.requireNonNull(resting.now().ttlAt());
            daemon.kill();
            Eventually.get(Instant::now, now -> now.isAfter(rest.plusSeconds(5)));
            daemon.revive();
            awaitState(resting, "paused");
            Eventually.get(() -> checkpoints().size(), size -> size == 1);
        }
    }

    /** It needs the files of snapshots, which a daemon takes over after the sandboxes. */
    @Test
    void whatIsDueWhenADaemonStartsIsDoneByIt() throws IOException, InterruptedException, SQLException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).checkpoints(3600, 2))) {
            daemon.kill();
            LedgerFile.update(
                    daemon,
                    "UPDATE sandbox SET details = json_set(details, '$.checkpointFrom.bootId', 'an earlier one', '$.checkpointFrom.atMillis', 1000) WHERE id = '"
                            + box.id() + "'");
            daemon.revive();
            Eventually.get(() -> checkpoints().size(), size -> size == 1);
        }
    }

    /** Not when the next one would be due. */
    @Test
    void aCheckpointThatFailedIsTakenAgainSoon() throws IOException, InterruptedException, SQLException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").checkpoints(3600, 2))) {
            box.output("echo kept > /workspace/file");
            daemon.kill();
            LedgerFile.update(
                    daemon,
                    "UPDATE sandbox SET details = json_set(details, '$.checkpointFrom.bootId', 'an earlier one', '$.checkpointFrom.atMillis', 1000) WHERE id = '"
                            + box.id() + "'");
            daemon.failingAt(Failpoint.SNAPSHOT_TAKEN.name()).start();
            Snapshot taken = Eventually.get(() -> checkpoints().stream().filter(snapshot -> snapshot.state().equals("ready")).findFirst(), Optional::isPresent).orElseThrow();
            assertThat(daemon.caller().get("/metrics").text()).containsPattern("sandglass_operation_seconds_count\\{kind=\"checkpoint\",result=\"internal\"\\} 1");
            assertThat(box.output("cat /workspace/file")).as("it went on").isEqualTo("kept");
            daemon.api().verify(taken.id());
        } finally {
            daemon.revive();
        }
    }

    /** Rows that an earlier version wrote do not say when a sandbox was started or last captured. */
    @Test
    void whatAnEarlierVersionStartedRestsAndIsCaptured() throws IOException, InterruptedException, SQLException {
        try (TestSandbox resting = daemon.api().create(SandboxRequest.on("container").ttl(600));
                TestSandbox captured = daemon.api().create(SandboxRequest.on("container").checkpoints(600, 2))) {
            daemon.kill();
            for (TestSandbox box : List.of(resting, captured)) {
                LedgerFile.update(
                        daemon,
                        "UPDATE sandbox SET details = json_replace(json_remove(details, '$.idleFrom', '$.checkpointFrom'),"
                                + " '$.unattended.ttl', 1, '$.unattended.every', 1) WHERE id = '" + box.id() + "'");
            }
            daemon.revive();
            awaitState(resting, "paused");
            Eventually.get(() -> checkpoints().size(), size -> size == 1);
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

            daemon.api().update(box.id(), Changes.none().checkpoints(600, 1).toWire());
            assertThat(checkpoints()).as("no more than it is to have").hasSize(1);
            daemon.api().update(box.id(), Changes.none().checkpoints(0, null).restart("never").toWire());
            assertThat(checkpoints()).as("none when none are taken").isEmpty();
        }
        assertThat(daemon.api().allSnapshots()).isEmpty();
    }

    @Test
    void whatDiedWhileNoDaemonLookedIsBroughtBack() throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api()
                .create(SandboxRequest.on("gvisor").memoryMb(256).checkpoints(2, 2).restart("from-checkpoint"))) {
            Command reading = box.start(Run.shell("word=remembered; read -r line; echo $word $line").withInput());
            Eventually.get(() -> checkpoints().size(), size -> size == 2); // the second one was begun after the command
            Eventually.get(() -> box.now().startedAt(), start -> start != null && start.plusSeconds(11).isBefore(Instant.now()));
            long pid = Objects.requireNonNull(box.now().pid());
            daemon.kill();
            Processes.kill(pid);
            daemon.mortalAt(Failpoint.RESUME_RECORDED.name()).launch();
            assertThat(daemon.awaitEnd()).as("one that dies while it brings it back").isEqualTo(137);
            daemon.revive();
            Eventually.get(() -> box.now().state(), "running"::equals);
            assertThat(box.now().pid()).isNotEqualTo(pid);
            box.input(box.command(reading.id()), "again\n", true);
            Eventually.get(() -> box.said(reading), text -> text.contains("remembered again"));
        } finally {
            daemon.revive();
        }
    }

    @Test
    void aCheckpointIsNoUseAndNeitherAreStatistics() {
        Duration hour = Duration.ofHours(1);
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).ttl(hour.toSeconds()).checkpoints(3, 2))) {
            Snapshot taken = Eventually.get(this::checkpoints, all -> all.size() == 1).getFirst();
            Instant used = Objects.requireNonNull(box.now().ttlAt()).minus(hour);
            assertThat(used).as("when it was last used").isBefore(taken.createdAt());
            // The process that answered for the checkpoint may be on its way out.
            Eventually.get(() -> Objects.requireNonNull(daemon.caller().get(box.path() + "/stats").as(SandboxStats.class).now().processes()), count -> count == 1);
            assertThat(Objects.requireNonNull(box.now().ttlAt()).minus(hour)).isBefore(taken.createdAt());
        }
    }

    /** What runs there is no command: nobody uses either of them. */
    @Test
    void whatWorksIsCapturedAndWhatDoesNothingIsNot() {
        try (TestSandbox idle = daemon.api().create(SandboxRequest.on("container").checkpoints(2, 3));
                TestSandbox hidden = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).checkpoints(2, 3));
                TestSandbox working = daemon.api().create(SandboxRequest.on("container"))) {
            working.output("setsid sh -c 'while :; do sleep 0.01; done' > /dev/null 2>&1 < /dev/null &");
            daemon.api().update(working.id(), Changes.none().checkpoints(2, 1).toWire());
            List<String> seen = new ArrayList<>();
            Eventually.get(
                    () -> {
                        checkpoints(working).stream().map(Snapshot::id).filter(id -> !seen.contains(id)).forEach(seen::add);
                        return seen.size();
                    },
                    size -> size >= 4);
            assertThat(checkpoints(idle)).hasSize(1);
            assertThat(checkpoints(hidden)).hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void whenTheLastCheckpointIsDamagedTheOneBeforeBringsItBack() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256).checkpoints(2, 2).restart("from-checkpoint"))) {
            Command working = box.start(Run.shell("while :; do sleep 0.05; done"));
            Eventually.get(() -> checkpoints().size(), size -> size == 2);
            String first = checkpoints().getFirst().id();
            Eventually.get(() -> checkpoints().stream().map(Snapshot::id).toList(), ids -> ids.size() == 2 && !ids.contains(first));
            daemon.api().update(box.id(), Changes.none().checkpoints(3600, 2).toWire());
            String last = checkpoints().stream().max(Comparator.comparing(Snapshot::createdAt)).orElseThrow().id();
            String image = MountNamespace.inside(daemon.run(), "ls -d " + daemon.data().resolve("pool") + "/memory-" + last).strip();
            MountNamespace.inside(daemon.run(), "btrfs property set " + image + " ro false; f=$(find " + image + " -type f -size +64k | head -n 1)"
                    + "; printf '\\377\\0\\377' | dd of=$f bs=1 seek=5000 conv=notrunc status=none; btrfs property set " + image + " ro true");
            refused(ErrorCode.SNAPSHOT_DAMAGED, () -> daemon.api().verify(last));
            Eventually.get(() -> box.now().startedAt(), start -> start != null && start.plusSeconds(11).isBefore(Instant.now()));
            long pid = Objects.requireNonNull(box.now().pid());
            Processes.kill(pid);
            Eventually.get(() -> box.now(), now -> now.state().equals("running") && now.pid() != null && now.pid() != pid);
            assertThat(box.command(working.id()).state()).isEqualTo("running");
        }
    }

    @Test
    void itsEndTakesItsCheckpointsAndLeavesItsSnapshots() {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").checkpoints(1, 2))) {
            box.output("echo kept > /workspace/file");
            Snapshot named = daemon.api().capture(box.id(), "outlives-it");
            Eventually.get(this::checkpoints, all -> !all.isEmpty());
            daemon.api().update(box.id(), Changes.none().hardTtl(1).toWire());
            Eventually.get(() -> daemon.api().names().contains(box.name()), Boolean.FALSE::equals);
            Eventually.get(this::checkpoints, List::isEmpty);
            assertThat(daemon.api().allSnapshots()).extracting(Snapshot::id).containsExactly(named.id());
            try (TestSandbox copy = daemon.api().create(SandboxRequest.on("container").from(named.id()))) {
                assertThat(copy.output("cat /workspace/file")).isEqualTo("kept");
            }
            daemon.api().deleteSnapshot(named.id());
        }
    }

    private List<Snapshot> checkpoints(TestSandbox box) {
        return checkpoints().stream().filter(snapshot -> snapshot.sandboxName().equals(box.name())).toList();
    }

    private List<Snapshot> checkpoints() {
        return daemon.api().allSnapshots().stream().filter(snapshot -> snapshot.purpose().equals("checkpoint")).toList();
    }

    private static void awaitState(TestSandbox box, String state) {
        Eventually.get(() -> box.now().state(), state::equals);
    }
}
