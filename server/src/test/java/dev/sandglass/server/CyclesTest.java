package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.network.PrivateNetworks;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Forked;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Sandboxes, their snapshots and their copies come and go, eight at once, and nothing at all is left of them. */
@DefaultNetwork
@ExtendWith(SharedDaemon.class)
@Timeout(3600)
class CyclesTest {
    private static final int AT_ONCE = 8;
    private static final int CYCLES = Soak.on() ? 1000 : 24;

    private final TestDaemon daemon = SharedDaemon.daemon();

    /** Before as after, each runtime has one that nobody uses. */
    @BeforeEach
    void keepSpares() throws IOException, InterruptedException {
        daemon.stop();
        daemon.with("SANDGLASS_KEEP_SPARES", "true").start();
    }

    @AfterEach
    void keepNoSpares() throws IOException, InterruptedException {
        daemon.stop();
        daemon.without("SANDGLASS_KEEP_SPARES").start();
    }

    @Test
    void createExecSnapshotForkDestroyLeaveNothing() throws IOException {
        cycles(1);
        Eventually.get(this::madeAhead, count -> count == PrivateNetworks.AHEAD);
        Eventually.get(this::census, census -> census.beyond(census()).isEmpty());
        Census before = census();
        long begin = System.nanoTime();
        cycles(CYCLES / AT_ONCE);
        System.out.printf("%d cycles, %d at once: %d ms each%n", CYCLES, AT_ONCE, (System.nanoTime() - begin) / 1_000_000 / CYCLES);
        assertThat(daemon.api().list()).noneMatch(sandbox -> sandbox.name().startsWith("cycle-"));
        assertThat(daemon.api().allSnapshots()).noneMatch(snapshot -> snapshot.sandboxName().startsWith("cycle-"));
        Map<String, Integer> more = Eventually.get(() -> census().beyond(before), left -> left.isEmpty() || !daemon.isAlive());
        assertThat(more).isEmpty();
    }

    private long madeAhead() {
        try {
            return Leftovers.entries(daemon.run().resolve("net")).stream().filter(pair -> pair.getFileName().toString().startsWith("ready-")).count();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private void cycles(int rounds) {
        AtOnce.all(IntStream.range(0, AT_ONCE).<Callable<Boolean>>mapToObj(number -> () -> cycle(number, rounds)).toList());
    }

    private boolean cycle(int number, int rounds) {
        for (int i = 0; i < rounds; i++) {
            String runtime = (number + i) % 2 == 0 ? "container" : "gvisor";
            String name = "cycle-" + number;
            Deque<Runnable> ends = new ArrayDeque<>();
            TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).name(name));
            ends.add(box::close);
            assertThat(box.output("echo $((6 * 7)) > /workspace/x; cat /workspace/x")).isEqualTo("42");
            box.start(Run.of("sleep", "600").pty(80, 24));
            box.files().write("/workspace/y", "content".repeat(20_000)); // in blocks of its own, which the snapshot shares
            Snapshot snapshot = daemon.api().captureAll(box.id());
            ends.add(() -> daemon.api().deleteSnapshot(snapshot.id()));
            TestSandbox copy = fork(i % 2 == 0 ? box.path() : "/v1/snapshots/" + snapshot.id(), name + "-copy");
            ends.add(copy::close);
            assertThat(copy.output("cat /workspace/x; wc -c < /workspace/y")).isEqualTo("42\n140000");
            // What is shared goes with each of those that share it.
            for (int first = (number + i) % ends.size(); first > 0; first--) {
                ends.add(ends.remove());
            }
            ends.forEach(Runnable::run);
        }
        return true;
    }

    private TestSandbox fork(String path, String name) {
        ForkSandbox request = new ForkSandbox(1, name, null, null, null, null, null, null);
        return new TestSandbox(daemon.caller(), daemon.caller().post(path + "/fork", request).as(Forked.class).sandboxes().getFirst());
    }

    /** The kernel takes destroyed trees apart when it commits, so that is asked for. */
    private Census census() {
        try {
            MountNamespace.inside(daemon.run(), "btrfs filesystem sync " + daemon.data().resolve("pool"));
            return Census.of(daemon);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
