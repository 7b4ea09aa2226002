package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Sandboxes come and go, eight at once, and nothing at all is left of them. */
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
    void createExecDestroyLeaveNothing() throws IOException {
        cycles(1);
        Eventually.get(this::census, census -> census.beyond(census()).isEmpty());
        Census before = census();
        long begin = System.nanoTime();
        cycles(CYCLES / AT_ONCE);
        System.out.printf("%d cycles, %d at once: %d ms each%n", CYCLES, AT_ONCE, (System.nanoTime() - begin) / 1_000_000 / CYCLES);
        assertThat(daemon.api().list()).noneMatch(sandbox -> sandbox.name().startsWith("cycle-"));
        Map<String, Integer> more = Eventually.get(() -> census().beyond(before), left -> left.isEmpty() || !daemon.isAlive());
        assertThat(more).isEmpty();
    }

    private void cycles(int rounds) {
        AtOnce.all(IntStream.range(0, AT_ONCE).<Callable<Boolean>>mapToObj(number -> () -> cycle(number, rounds)).toList());
    }

    private boolean cycle(int number, int rounds) {
        for (int i = 0; i < rounds; i++) {
            String runtime = (number + i) % 2 == 0 ? "container" : "gvisor";
            try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).name("cycle-" + number))) {
                assertThat(box.output("echo $((6 * 7)) > /workspace/x; cat /workspace/x")).isEqualTo("42");
                box.start(Run.of("sleep", "600").pty(80, 24));
                box.files().write("/workspace/y", "content");
            }
        }
        return true;
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
