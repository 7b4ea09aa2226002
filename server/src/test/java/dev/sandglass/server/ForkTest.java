package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copies of a sandbox that runs begin at one moment of it and go their own ways. */
@OnEveryRuntime
@Timeout(600)
class ForkTest {
    private static final String PRIVILEGES = "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status";

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    ForkTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void copiesGoOnFromOneMomentEachByItself() {
        CapturedMemory.assumeOn(runtime);
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            source.output("echo before > /workspace/file");
            Command waiting = source.start(Run.shell("word=remembered; while read -r line; do echo $word $line; done").withInput());
            Forked forked = fork(source.path(), 3, "branch");
            assertThat(forked.pauseMs()).isPositive();
            List<TestSandbox> all = boxes(forked);
            try {
                assertThat(all).extracting(TestSandbox::name).containsExactlyInAnyOrder("branch-1", "branch-2", "branch-3");
                Set<String> machines = new HashSet<>();
                Set<String> generations = new HashSet<>(Set.of(source.output("cat /run/sandglass/generation")));
                for (TestSandbox copy : all) {
                    copy.output("echo " + copy.name() + " > /workspace/file");
                    copy.input(copy.command(waiting.id()), copy.name() + "\n", false);
                    Eventually.get(() -> copy.said(waiting), text -> text.contains("remembered " + copy.name()));
                    assertThat(copy.output("hostname")).isEqualTo(copy.name());
                    generations.add(copy.output("cat /run/sandglass/generation"));
                    machines.add(copy.output("cat /etc/machine-id"));
                }
                assertThat(machines).hasSize(3);
                assertThat(generations).as("one of its own for the source and for each copy").hasSize(4);
                for (TestSandbox copy : all) {
                    assertThat(copy.output("cat /workspace/file")).isEqualTo(copy.name());
                }
                assertThat(source.output("cat /workspace/file")).isEqualTo("before");
                assertThat(daemon.api().allSnapshots()).as("what they began with is theirs alone").isEmpty();
                Forked deeper = fork(all.getFirst().path(), 1, "twig");
                try (TestSandbox twig = boxes(deeper).getFirst()) {
                    assertThat(twig.output("cat /workspace/file")).isEqualTo("branch-1");
                    assertThat(generations.add(twig.output("cat /run/sandglass/generation"))).as("another generation").isTrue();
                }
            } finally {
                all.forEach(TestSandbox::close);
            }
        }
    }

    @Test
    void copiesOfOneThatRestsGoOnWithItsProcesses() {
        CapturedMemory.assumeOn(runtime);
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Command waiting = source.start(Run.shell("word=remembered; while read -r line; do echo $word $line; done").withInput());
            source.pause(false);
            List<TestSandbox> copies = boxes(fork(source.path(), 2, "rested"));
            try {
                assertThat(source.now().state()).as("it rests on").isEqualTo("paused");
                source.resume(false);
                copies.add(source);
                for (TestSandbox box : copies) {
                    box.input(box.command(waiting.id()), box.name() + "\n", false);
                    Eventually.get(() -> box.said(waiting), text -> text.contains("remembered " + box.name()));
                }
                assertThat(daemon.api().allSnapshots()).isEmpty();
            } finally {
                copies.forEach(TestSandbox::close);
            }
        }
    }

    @Test
    void copiesHaveTheProcessesAlsoWhenTheirSourceGoesToRestOrGoesOnMeanwhile() {
        CapturedMemory.assumeOn(runtime);
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            source.start(Run.of("sleep", "100000"));
            for (int i = 0; i < 6; i++) {
                boolean rests = i % 2 == 1;
                List<Optional<Forked>> both = AtOnce.all(List.of(
                        () -> {
                            if (rests) {
                                source.resume(false);
                            } else {
                                source.pause(false);
                            }
                            return Optional.empty();
                        },
                        () -> Optional.of(fork(source.path(), 1, null))));
                try (TestSandbox copy = boxes(both.getLast().orElseThrow()).getFirst()) {
                    assertThat(copy.output("pgrep -cfx 'sleep 100000'")).isEqualTo("1");
                }
            }
            assertThat(daemon.api().allSnapshots()).isEmpty();
        }
    }

    @Test
    void theDiskIsCopiedOnContainersAndFromSnapshots() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("container").env(Map.of("COLOUR", "blue", "SHAPE", "round")))) {
            source.output("echo before > /workspace/file");
            Snapshot snapshot = daemon.api().capture(source.id(), "trunk");
            source.output("echo later > /workspace/file");
            List<TestSandbox> copies = boxes(fork(source.path(), 2, null));
            copies.addAll(boxes(fork("/v1/snapshots/trunk", 2, "old")));
            try {
                assertThat(copies).extracting(copy -> copy.output("echo $COLOUR $SHAPE")).as("as in the source").startsWith("blue square", "blue square");
                assertThat(copies).extracting(copy -> copy.output("cat /workspace/file")).containsExactly("later", "later", "before", "before");
            } finally {
                copies.forEach(TestSandbox::close);
                daemon.api().deleteSnapshot(snapshot.id());
            }
        }
    }

    @Test
    void copiesAreHeldAsTheirSourceIs() throws IOException {
        SandboxRequest odd = SandboxRequest.on(runtime)
                .security("standard")
                .capabilities(List.of("SYS_CHROOT"), List.of("CHOWN"))
                .memoryMb(300)
                .cpus(0.5)
                .diskMb(700)
                .processes(123);
        try (TestSandbox source = daemon.api().create(odd)) {
            List<TestSandbox> copies = new ArrayList<>(boxes(fork(source.path(), 1, null)));
            ForkSandbox diskOnly = new ForkSandbox(1, null, null, null, null, null, null, true);
            copies.addAll(boxes(daemon.caller().post(source.path() + "/fork", diskOnly).as(Forked.class)));
            try {
                for (TestSandbox copy : copies) {
                    assertThat(held(copy.info())).isEqualTo(held(source.info()));
                    assertThat(copy.output(PRIVILEGES)).isEqualTo(source.output(PRIVILEGES));
                    assertThat(HostLimits.of(daemon, copy.id())).isEqualTo(HostLimits.of(daemon, source.id()));
                }
            } finally {
                copies.forEach(TestSandbox::close);
            }
        }
    }

    private static List<Object> held(Sandbox box) {
        return List.of(box.runtime(), box.security(), box.capabilities(), box.memoryMb(), box.cpus(), box.diskMb(), box.maxProcesses());
    }

    @Test
    void allOrNone() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("container"));
                TestSandbox taken = daemon.api().create(SandboxRequest.on("container").name("leaf-2"))) {
            refused(ErrorCode.NAME_TAKEN, () -> fork(source.path(), 3, "leaf"));
            refused(ErrorCode.INVALID_REQUEST, () -> fork(source.path(), 0, null));
            refused(ErrorCode.SANDBOX_NOT_FOUND, () -> fork("/v1/sandboxes/nobody", 1, null));
            assertThat(daemon.api().names()).contains(taken.name()).doesNotContain("leaf-1", "leaf-3");
            assertThat(source.output("echo on")).isEqualTo("on");
            assertThat(daemon.api().allSnapshots()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CREATE_ANSWERED", "FORK_MADE", "FORK_CONFIRMED"})
    void aDeathLeavesAllOrNone(Failpoint step) throws IOException, InterruptedException {
        TestSandbox source = daemon.api().create(SandboxRequest.on(runtime));
        try {
            daemon.mortalAt(step.name(), step == Failpoint.CREATE_ANSWERED ? 1 : 0);
            assertThatThrownBy(() -> fork(source.path(), 3, "leaf")).isInstanceOf(UncheckedIOException.class);
            assertThat(daemon.awaitEnd()).isEqualTo(137);
            daemon.revive();
            List<String> leaves = daemon.api().names().stream().filter(name -> name.startsWith("leaf")).toList();
            assertThat(leaves).hasSize(step == Failpoint.FORK_CONFIRMED ? 3 : 0);
            leaves.forEach(daemon.api()::destroy);
            assertThat(source.output("echo on")).isEqualTo("on");
            assertThat(daemon.api().allSnapshots()).isEmpty();
            assertThat(Leftovers.of(daemon).strays()).isEmpty();
        } finally {
            daemon.revive();
            source.close();
        }
    }

    @Test
    void whatDidNotChangeIsNotReadAgainForTheNextCopies() throws IOException {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime))) {
            source.output("head -c 200000000 /dev/urandom > /workspace/large");
            copyAndRemove(source);
            long before = bytesRead();
            copyAndRemove(source);
            copyAndRemove(source);
            assertThat(bytesRead() - before).as("bytes that the daemon read for copies of a sandbox of which nothing changed").isLessThan(100_000_000);
            source.output("echo more > /workspace/small");
            copyAndRemove(source);
            assertThat(bytesRead() - before).as("the same when little changed").isLessThan(150_000_000);
        }
    }

    @Test
    void damagedHashesAreReadAgainAndInNobodysWay() throws IOException {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime))) {
            source.output("for i in $(seq 50); do echo $i > /workspace/$i; done");
            copyAndRemove(source);
            Path hashes = daemon.data().resolve("manifests").resolve(source.id() + ".hashes");
            byte[] bytes = Files.readAllBytes(hashes);
            bytes[bytes.length / 2] ^= 0x55;
            Files.delete(hashes);
            Files.write(hashes, bytes);
            source.output("echo more > /workspace/more");
            copyAndRemove(source);
            assertThat(Files.readAllBytes(hashes)).isNotEqualTo(bytes);
        }
    }

    private void copyAndRemove(TestSandbox source) {
        ForkSandbox request = new ForkSandbox(1, null, null, null, null, null, null, true);
        boxes(daemon.caller().post(source.path() + "/fork", request).as(Forked.class)).forEach(TestSandbox::close);
    }

    private long bytesRead() throws IOException {
        return Files.readAllLines(Path.of("/proc", String.valueOf(daemon.pid()), "io")).stream()
                .filter(line -> line.startsWith("rchar: "))
                .mapToLong(line -> Long.parseLong(line.substring("rchar: ".length())))
                .sum();
    }

    private Forked fork(String path, int count, @Nullable String name) {
        ForkSandbox request = new ForkSandbox(count, name, null, null, Map.of("SHAPE", "square"), Map.of(), null, null);
        return daemon.caller().post(path + "/fork", request).as(Forked.class);
    }

    private List<TestSandbox> boxes(Forked forked) {
        return new ArrayList<>(forked.sandboxes().stream().map(this::box).toList());
    }

    private TestSandbox box(Sandbox sandbox) {
        return new TestSandbox(daemon.caller(), sandbox);
    }
}
