package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The daemon runs out of descriptors at each step of a create: it says so, undoes what it began, and goes on when there are some again. */
@OnEveryRuntime
class NoDescriptorsTest {
    private static final int MOST = 200;
    private static final int GAPS = 40;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final List<SocketChannel> idle = new ArrayList<>();
    private final String usual;
    private final String runtime;

    NoDescriptorsTest(String runtime) throws IOException {
        this.runtime = runtime;
        this.usual = usual(daemon.pid());
    }

    @AfterEach
    void giveBack() throws IOException, InterruptedException {
        limit(usual);
        for (SocketChannel each : idle) {
            each.close();
        }
    }

    @Test
    void aCreateThatLacksOneLeavesNothing() throws IOException, InterruptedException {
        try (TestSandbox before = daemon.api().create(SandboxRequest.on(runtime))) {
            daemon.api().create(SandboxRequest.on(runtime)).close(); // so that all that is opened once is open
            List<String> names = daemon.api().names();
            List<Path> standard = standard();
            int refusals = 0;
            for (int tries = 0; refusals == 0 && tries < 10; tries++) {
                fillGaps(); // again where something was closed meanwhile
                while (refusals < MOST && isRefusedWith(refusals)) {
                    refusals++;
                }
            }
            System.out.printf("creates on %s that lacked a descriptor: %d%n", runtime, refusals);
            assertThat(refusals).isBetween(1, MOST - 1);
            assertThat(standard()).as("files that have nothing to do with it").isEqualTo(standard);
            assertThat(before.output("echo unharmed")).isEqualTo("unharmed");
            Eventually.get(daemon.api()::names, now -> now.size() == names.size()); // what could not be undone is tried again
            assertThat(daemon.api().names()).containsExactlyInAnyOrderElementsOf(names);
            assertThat(Leftovers.of(daemon).strays()).isEmpty();
        }
    }

    /** Whether a create needs more descriptors than those that are left. */
    private boolean isRefusedWith(int left) throws IOException, InterruptedException {
        limit(Integer.toString(highest() + 1 + left));
        try (TestSandbox _ = daemon.api().create(SandboxRequest.on(runtime))) {
            return false;
        } catch (SandglassException refusal) {
            assertThat(refusal.code().httpStatus()).as(refusal.what()).isGreaterThanOrEqualTo(500);
            return true;
        } finally {
            limit(usual);
        }
    }

    /** The limit is one of numbers: whoever opens something takes a gap first. Connections that say nothing take them all. */
    private void fillGaps() throws IOException {
        int before = open().size();
        for (int i = 0; i < GAPS; i++) {
            idle.add(SocketChannel.open(UnixDomainSocketAddress.of(daemon.run().resolve("sandglass.sock"))));
        }
        Eventually.get(this::open, now -> now.size() >= before + GAPS);
    }

    private List<Path> standard() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String number : List.of("0", "1", "2")) {
            files.add(Files.readSymbolicLink(Path.of("/proc", Long.toString(daemon.pid()), "fd", number)));
        }
        return files;
    }

    private int highest() {
        return Collections.max(open());
    }

    private List<Integer> open() {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(daemon.pid()), "fd"))) {
            return open.map(each -> Integer.valueOf(each.getFileName().toString())).toList();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private static String usual(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(pid), "limits")).stream()
                .filter(line -> line.startsWith("Max open files"))
                .map(line -> line.split("\\s+")[3])
                .findFirst()
                .orElseThrow();
    }

    private void limit(String descriptors) throws IOException, InterruptedException {
        String pid = Long.toString(daemon.pid());
        Process prlimit = new ProcessBuilder("prlimit", "--pid", pid, "--nofile=" + descriptors + ":").inheritIO().start();
        assertThat(prlimit.waitFor()).isZero();
    }
}
