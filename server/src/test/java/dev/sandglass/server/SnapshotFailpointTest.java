package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The daemon dies while a snapshot with its processes is taken, by hand or by the clock, while one is deleted or written to a file: it is whole or gone. */
@ExtendWith(SharedDaemon.class)
@Timeout(600)
class SnapshotFailpointTest {
    private static final Pattern SNAPSHOT = Pattern.compile("snap-[a-z0-9]{12}");

    private final TestDaemon daemon = SharedDaemon.daemon();

    @AfterEach
    void disarm() throws IOException, InterruptedException {
        daemon.revive();
        if (daemon.api().names().contains("interrupted")) {
            daemon.api().destroy("interrupted");
        }
        daemon.api().snapshots().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
    }

    static Stream<Failpoint> steps() {
        Stream<Failpoint> all = Stream.of(Failpoint.SNAPSHOT_RECORDED, Failpoint.SNAPSHOT_PAUSED, Failpoint.SNAPSHOT_TAKEN,
                Failpoint.SNAPSHOT_MEMORY_TAKEN, Failpoint.SNAPSHOT_MEMORY_DESCRIBED, Failpoint.SNAPSHOT_READY);
        return all.filter(step -> Soak.on() || step == Failpoint.SNAPSHOT_PAUSED || step == Failpoint.SNAPSHOT_TAKEN || step == Failpoint.SNAPSHOT_MEMORY_DESCRIBED);
    }

    @ParameterizedTest
    @MethodSource("steps")
    void processesGoOnAndTheirSnapshotIsWholeOrGone(Failpoint step) throws IOException, InterruptedException {
        TestSandbox box = gvisor(SandboxRequest.on("gvisor"));
        Command counting = counting(box);
        Snapshot earlier = daemon.api().captureAll(box.id());
        daemon.mortalAt(step.name());
        dies(() -> daemon.api().captureAll(box.id()));

        requireCounting(box, counting);
        List<String> there = daemon.api().allSnapshots().stream().map(Snapshot::id).toList();
        assertThat(there).hasSize(step == Failpoint.SNAPSHOT_READY ? 2 : 1).contains(earlier.id());
        requireOnDisk();
        for (String id : there) {
            daemon.api().verify(id);
            try (TestSandbox copy = daemon.api().create(SandboxRequest.on("gvisor").from(id))) {
                requireCounting(copy, counting);
            }
        }
        box.close();
        there.forEach(daemon.api()::deleteSnapshot);
        requireOnDisk();
    }

    @ParameterizedTest
    @MethodSource("steps")
    void aCheckpointIsWholeOrGone(Failpoint step) throws IOException, InterruptedException {
        daemon.mortalAt(step.name(), 1);
        TestSandbox box = gvisor(SandboxRequest.on("gvisor").checkpoints(2, 2));
        Command counting = counting(box);
        assertThat(daemon.awaitEnd()).as("at the second one").isEqualTo(137);
        daemon.revive();

        requireCounting(box, counting);
        Eventually.get(() -> daemon.api().allSnapshots().size(), size -> size == 2);
        daemon.api().update(box.id(), Changes.none().checkpoints(600, 2).toWire());
        assertThat(daemon.api().allSnapshots()).hasSize(2).allSatisfy(checkpoint -> {
            assertThat(checkpoint.purpose()).isEqualTo("checkpoint");
            daemon.api().verify(checkpoint.id());
        });
        requireOnDisk();
        box.close();
        requireOnDisk();
    }

    /** What a sandbox writes may take seconds to be brought to the disk before it stands still. */
    @Test
    void aCommandThatBeganWhileASnapshotWasPreparedGoesOnAfterARewind() throws IOException, InterruptedException {
        daemon.holdingAt(Failpoint.SNAPSHOT_RECORDED.name());
        try (TestSandbox box = gvisor(SandboxRequest.on("gvisor"))) {
            CompletableFuture<Snapshot> taking = CompletableFuture.supplyAsync(() -> daemon.api().captureAll(box.id()));
            CompletableFuture<String> told = new CompletableFuture<>();
            daemon.atTheStep(() -> {
                told.completeAsync(() -> heard(() -> box.run(Run.shell("touch /workspace/watched; exec sleep 1000"))));
                Eventually.get(() -> box.output("ls /workspace"), names -> names.contains("watched"));
            });
            Snapshot snapshot = taking.join();
            box.rewind(snapshot.id());
            assertThat(told.join()).as("it did not end").doesNotContain("rewound").contains("turned back");
            assertThat(box.commands()).extracting(Command::state).containsExactly("running");
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    @Test
    void oneThatIsDeletedWhileItIsReadIsGoneAndNotDamaged() throws IOException, InterruptedException {
        Snapshot first;
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("echo one > /workspace/one");
            first = daemon.api().capture(box.id(), null);
        }
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").from(first.id()))) {
            box.output("echo two > /workspace/two");
            daemon.api().capture(box.id(), "read");
        }
        daemon.api().deleteSnapshot(first.id());
        daemon.holdingAt(Failpoint.VERIFY_LAYER.name());
        CompletableFuture<Snapshot> reading = CompletableFuture.supplyAsync(() -> daemon.api().verify("read"), Thread::startVirtualThread);
        daemon.atTheStep(() -> daemon.api().deleteSnapshot("read"));
        Throwable told = reading.handle((_, _) -> reading.exceptionNow()).join();
        refused(ErrorCode.SNAPSHOT_NOT_FOUND, () -> {
            throw told;
        });
        requireOnDisk();
    }

    @ParameterizedTest
    @EnumSource(names = {"DELETE_RECORDED", "DELETE_DONE"})
    void whatIsDeletedIsGoneAndItsCopiesAreWhole(Failpoint step) throws IOException, InterruptedException {
        TestSandbox box = gvisor(SandboxRequest.on("gvisor"));
        Command counting = counting(box);
        Snapshot snapshot = daemon.api().captureAll(box.id());
        try (TestSandbox copy = daemon.api().create(SandboxRequest.on("gvisor").from(snapshot.id()))) {
            daemon.mortalAt(step.name());
            dies(() -> daemon.api().deleteSnapshot(snapshot.id()));
            assertThat(daemon.api().allSnapshots()).isEmpty();
            assertThat(onDisk("memory")).as("nothing goes on from it any more").isEmpty();
            requireCounting(copy, counting);
            copy.stop();
            copy.powerOn();
            assertThat(copy.output("cat /workspace/kept")).as("its disk stands on it").isEqualTo("kept");
        }
        box.close();
        requireOnDisk();
    }

    @ParameterizedTest
    @EnumSource(names = {"EXPORT_WRITTEN", "EXPORT_NAMED"})
    void aFileIsWholeOrGone(Failpoint step) throws IOException, InterruptedException {
        TestSandbox box = daemon.api().create(SandboxRequest.on("container").name("interrupted"));
        box.output("echo kept > /workspace/kept");
        daemon.api().capture(box.id(), "written");
        Path directory = daemon.data().resolve("snapshots");
        daemon.mortalAt(step.name());
        dies(() -> daemon.caller().post("/v1/snapshots/written/archive?thin=true"));
        assertThat(Files.exists(directory.resolve("written.sgs"))).isEqualTo(step == Failpoint.EXPORT_NAMED);
        SnapshotFile file = daemon.caller().post("/v1/snapshots/written/archive?thin=true").as(SnapshotFile.class);
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactly(Path.of(file.path()));
        }
        assertThat(MountNamespace.inside(daemon.run(), "ls -A " + daemon.data().resolve("archive-work"))).isEmpty();
        assertThat(daemon.api().allSnapshots()).as("what it wrote itself does not come back").hasSize(1);
        Files.delete(Path.of(file.path()));
        box.close();
        daemon.api().deleteSnapshot("written");
        requireOnDisk();
    }

    private static String heard(Supplier<CommandResult> run) {
        try {
            return run.get().toString();
        } catch (RuntimeException problem) {
            return problem.toString();
        }
    }

    private TestSandbox gvisor(SandboxRequest request) {
        return daemon.api().create(request.name("interrupted").memoryMb(256));
    }

    private static Command counting(TestSandbox box) {
        Command counting = box.start(Run.shell("echo kept > /workspace/kept; while :; do n=$((n+1)); echo $n > /workspace/new; mv /workspace/new /workspace/n; sleep 0.05; done"));
        Eventually.get(() -> number(box), n -> n > 1);
        return counting;
    }

    private static void requireCounting(TestSandbox box, Command counting) {
        assertThat(box.command(counting.id()).state()).isEqualTo("running");
        long now = number(box);
        Eventually.get(() -> number(box), n -> n > now);
    }

    private static long number(TestSandbox box) {
        return Long.parseLong(box.output("cat /workspace/n 2>/dev/null || echo 0"));
    }

    private void dies(Runnable call) throws IOException, InterruptedException {
        assertThatThrownBy(call::run).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
    }

    /** Whatever the disk has of snapshots is of those that there are. */
    private void requireOnDisk() throws IOException {
        Set<String> known = daemon.api().allSnapshots().stream().map(Snapshot::id).collect(Collectors.toCollection(TreeSet::new));
        assertThat(onDisk("")).isEqualTo(known);
        assertThat(MountNamespace.inside(daemon.run(), "ls -A " + daemon.run().resolve("landing"))).as("nothing is on its way").isEmpty();
    }

    private Set<String> onDisk(String kind) throws IOException {
        Set<String> found = new TreeSet<>();
        String everything = MountNamespace.inside(daemon.run(), "ls -A " + daemon.data().resolve("pool") + " " + daemon.data().resolve("manifests"));
        everything.lines().filter(line -> line.startsWith(kind)).map(SNAPSHOT::matcher).filter(Matcher::find).forEach(match -> found.add(match.group()));
        return found;
    }
}
