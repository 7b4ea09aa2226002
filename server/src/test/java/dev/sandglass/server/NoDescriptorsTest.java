package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The daemon runs out of descriptors at each step of a create: it says so, undoes what it began, and goes on when there are some again. */
@OnEveryRuntime
class NoDescriptorsTest {
    private static final int PLENTY = 4096;
    private static final int MOST = 200;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    NoDescriptorsTest(String runtime) {
        this.runtime = runtime;
    }

    @AfterEach
    void giveBack() throws IOException, InterruptedException {
        limit(PLENTY);
    }

    @Test
    void aCreateThatLacksOneLeavesNothing() throws IOException, InterruptedException {
        try (TestSandbox before = daemon.api().create(SandboxRequest.on(runtime))) {
            daemon.api().create(SandboxRequest.on(runtime)).close(); // so that all that is opened once is open
            List<String> names = daemon.api().names();
            int refusals = 0;
            while (refusals < MOST && isRefusedWith(refusals)) {
                refusals++;
            }
            System.out.printf("creates on %s that lacked a descriptor: %d%n", runtime, refusals);
            assertThat(refusals).isBetween(1, MOST - 1);
            assertThat(before.output("echo unharmed")).isEqualTo("unharmed");
            Eventually.get(daemon.api()::names, now -> now.size() == names.size()); // what could not be undone is tried again
            assertThat(daemon.api().names()).containsExactlyInAnyOrderElementsOf(names);
            assertThat(Leftovers.of(daemon).strays()).isEmpty();
        }
    }

    /** Whether a create needs more descriptors than those that are left. */
    private boolean isRefusedWith(int left) throws IOException, InterruptedException {
        limit(highest() + 1 + left);
        try (TestSandbox _ = daemon.api().create(SandboxRequest.on(runtime))) {
            return false;
        } catch (SandglassException refusal) {
            assertThat(refusal.code().httpStatus()).as(refusal.what()).isGreaterThanOrEqualTo(500);
            return true;
        } finally {
            limit(PLENTY);
        }
    }

    private int highest() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(daemon.pid()), "fd"))) {
            return open.mapToInt(each -> Integer.parseInt(each.getFileName().toString())).max().orElseThrow();
        }
    }

    private void limit(int descriptors) throws IOException, InterruptedException {
        String pid = Long.toString(daemon.pid());
        Process prlimit = new ProcessBuilder("prlimit", "--pid", pid, "--nofile=" + descriptors + ":").inheritIO().start();
        assertThat(prlimit.waitFor()).isZero();
    }
}
