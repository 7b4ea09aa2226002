package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandglass.wire.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the kernel counts for all containers together: when one takes all that it can get, its neighbour gets what it got before. */
@OnEveryRuntime
class KernelCountsTest {
    private static final Path SCRIPT = Path.of("src/test/resources/exhaustion/counts.py");

    /** Only where root on the host may raise limits at all. */
    private static final Map<String, String> RAISED_BY_THE_DAEMON = Map.of("queue", "Max msgqueue size", "pending_signal", "Max pending signals");

    private final String runtime;

    KernelCountsTest(String runtime) {
        this.runtime = runtime;
    }

    @ParameterizedTest
    @ValueSource(strings = {"inotify", "terminal", "queue", "pending_signal", "pipe", "connection"})
    void aNeighbourGetsItsOwn(String what) throws IOException {
        String raised = RAISED_BY_THE_DAEMON.getOrDefault(what, "");
        assumeTrue(limitsOfTheDaemon().matches("(?s).*" + raised + " +unlimited.*"), "needs CAP_SYS_RESOURCE on the host");
        String script = Files.readString(SCRIPT);
        Run one = Run.of("python3", "-c", script, "one", what);
        TestSandbox neighbour = SharedDaemon.sandbox(runtime);
        String alone = neighbour.output(one);
        if (runtime.equals("container")) {
            assertThat(alone).isEqualTo("got one");
        }
        try (TestSandbox greedy = SharedDaemon.api().create(SandboxRequest.on(runtime))) {
            Command taking = greedy.start(Run.of("python3", "-c", script, "take", what));
            String taken = Eventually.get(() -> Following.text(greedy.kept(taking), "stdout"), text -> text.endsWith("\n"));
            System.out.printf("%s on %s: %s", what, runtime, taken);
            assertThat(neighbour.output(one)).isEqualTo(alone);
        }
    }

    /** What such requests take of the kernel's memory is charged to nobody. */
    @Test
    void asynchronousInputAndOutputIsNotOfferedByTheHostsKernel() throws IOException {
        String setUp = "import ctypes, os; libc = ctypes.CDLL(None, use_errno=True); number = 0 if os.uname().machine == 'aarch64' else 206;"
                + " print(libc.syscall(number, 1, ctypes.byref(ctypes.c_ulong(0))), os.strerror(ctypes.get_errno()))";
        assumeTrue(runtime.equals("container"), "gVisor has its own");
        assertThat(SharedDaemon.sandbox(runtime).output(Run.of("python3", "-c", setUp))).isEqualTo("-1 Function not implemented");
    }

    private static String limitsOfTheDaemon() throws IOException {
        return Files.readString(Path.of("/proc", Long.toString(SharedDaemon.daemon().pid()), "limits"));
    }
}
