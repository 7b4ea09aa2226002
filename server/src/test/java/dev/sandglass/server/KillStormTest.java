package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The daemon is killed at random moments while sandboxes are made, used, captured, copied, paused, turned back and destroyed, and sometimes while it starts:
 * what it had acknowledged is there, nothing else is.
 */
@DefaultNetwork
@ExtendWith(SharedDaemon.class)
@Timeout(7200)
class KillStormTest {
    private static final int KILLS = Integer.getInteger("sandglass.kills", Soak.on() ? 200 : 5);

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final long seed = Long.getLong("sandglass.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<Witness> witnesses = List.of(
            new Witness(daemon, "container", "storm-1", seed + 1),
            new Witness(daemon, "container", "storm-2", seed + 2),
            new Witness(daemon, "gvisor", "storm-3", seed + 3),
            new Witness(daemon, "gvisor", "storm-4", seed + 4));

    /** A daemon that just started has no spares: what is left over then is left over. */
    @BeforeEach
    void keepSpares() throws IOException, InterruptedException {
        daemon.stop();
        daemon.with("SANDGLASS_KEEP_SPARES", "true").start();
    }

    @AfterEach
    void leaveADaemon() throws IOException, InterruptedException {
        if (daemon.isAlive()) {
            daemon.stop();
        }
        daemon.without("SANDGLASS_KEEP_SPARES").start();
    }

    @Test
    void nothingAcknowledgedIsLostAndNothingIsLeftOver() throws IOException, InterruptedException {
        Census before = onDisk();
        long steps = 0;
        for (int kill = 1; kill <= KILLS; kill++) {
            steps = AtOnce.all(Stream.concat(witnesses.stream().map(KillStormTest::work), Stream.of(this::killSoon)).toList())
                    .stream().mapToLong(Long::longValue).sum();
            while (random.nextInt(3) == 0) {
                daemon.launch();
                Thread.sleep(random.nextInt(1500)); // any moment of a start
                daemon.kill();
            }
            daemon.start();
            String when = "after kill " + kill + " (-Dsandglass.seed=" + seed + ")";
            assertThat(Leftovers.of(daemon).strays()).as(when).isEmpty();
            witnesses.forEach(Witness::verify);
        }
        System.out.printf("%d kills under load, %d acknowledged steps, seed %d%n", KILLS, steps, seed);
        witnesses.forEach(Witness::leave);
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
        assertThat(daemon.api().allSnapshots()).noneMatch(snapshot -> snapshot.sandboxName().startsWith("storm-"));
        daemon.stop();
        daemon.start();
        assertThat(Eventually.get(() -> onDisk().beyond(before), Map::isEmpty)).isEmpty();
    }

    /** Of the rest another daemon has as much as it needs. */
    private Census onDisk() {
        try {
            MountNamespace.inside(daemon.run(), "btrfs filesystem sync " + daemon.data().resolve("pool"));
            return Census.of(daemon).only("file " + daemon.data(), "quota group", "loop device");
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private static Callable<Long> work(Witness witness) {
        return witness::workUntilItDies;
    }

    private long killSoon() throws InterruptedException {
        Thread.sleep(100 + random.nextInt(2000)); // any moment of the work
        daemon.kill();
        return 0;
    }
}
