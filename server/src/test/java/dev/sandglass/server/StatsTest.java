package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.HostStats;
import dev.sandglass.wire.Sample;
import dev.sandglass.wire.SandboxStats;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What sandboxes use can be seen, now and some time later. */
@OnEveryRuntime
class StatsTest {
    private static final long MIB = 1 << 20;

    private final Api api = SharedDaemon.api();
    private final String runtime;

    StatsTest(String runtime) {
        this.runtime = runtime;
    }

    @Test
    void itIsSeenWhatASandboxUses() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).memoryMb(512).cpus(1).diskMb(512))) {
            SandboxStats idle = stats(box);
            assertThat(idle.limits().memoryBytes()).isEqualTo(512 * MIB);
            assertThat(idle.limits().cpus()).isEqualTo(1);
            assertThat(Objects.requireNonNull(idle.now().processes())).isBetween(1L, 10L);
            box.output("head -c 64M /dev/urandom > /workspace/large; sync");
            Command busy = box.start(Run.python("x = bytearray(150 << 20)\nwhile True: x[0] = 1"));
            for (int i = 0; i < 20; i++) {
                box.start(Run.of("sleep", "1000"));
            }
            SandboxStats used = Eventually.get(
                    () -> stats(box),
                    stats -> stats.now().memoryBytes() > idle.now().memoryBytes() + 100 * MIB
                            && Objects.requireNonNull(stats.now().diskBytes()) >= 60 * MIB // counted when the host's kernel has written it
                            && Objects.requireNonNull(stats.history()).stream().filter(sample -> sample.cpus() > 0.1).count() >= 2);
            assertThat(used.now().cpuMs()).isGreaterThan(idle.now().cpuMs());
            assertThat(used.now().cpus()).isBetween(0.05, 1.5);
            assertThat(Objects.requireNonNull(used.now().processes())).isBetween(22L, 40L);
            assertThat(Objects.requireNonNull(used.now().diskBytes())).isBetween(60 * MIB, 200 * MIB);
            List<Sample> history = Objects.requireNonNull(used.history());
            assertThat(history).extracting(Sample::at).isSorted().doesNotHaveDuplicates();
            // Only the host's kernel tells of them without waking the sandbox.
            assertThat(history).allMatch(sample -> (sample.processes() == null) == runtime.equals("gvisor"));
            box.signal(busy, "KILL");
            HostStats host = api.caller().get("/v1/stats").as(HostStats.class);
            assertThat(host.sandboxes()).extracting(SandboxStats::id).contains(box.id());
            assertThat(host.memoryUsedBytes()).isBetween(1L, host.memoryBytes());
            assertThat(host.total().memoryBytes())
                    .isCloseTo(host.sandboxes().stream().mapToLong(each -> each.now().memoryBytes()).sum(), within(256 * MIB));
            assertThat(host.daemon().rssBytes()).isGreaterThan(host.daemon().heapBytes() / 2);
        }
    }

    @Test
    void whatWasKilledForMemoryIsSeenInTheListToo() {
        Assumptions.assumeTrue(runtime.equals("container"), "elsewhere the whole sandbox ends");
        try (TestSandbox box = api.create(SandboxRequest.on(runtime).memoryMb(64))) {
            box.run(Run.python("x = bytearray(400 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1"));
            Eventually.get(
                    () -> api.caller().get("/v1/stats").as(HostStats.class).sandboxes().stream()
                            .filter(each -> each.id().equals(box.id()))
                            .mapToLong(SandboxStats::oomKills)
                            .sum(),
                    kills -> kills > 0);
        }
    }

    @Test
    void aSandboxThatIsStoppedUsesItsDiskOnly() {
        try (TestSandbox box = api.create(SandboxRequest.on(runtime))) {
            box.output("head -c 8M /dev/urandom > /workspace/kept; sync");
            box.stop();
            SandboxStats stopped = stats(box);
            assertThat(stopped.state()).isEqualTo("stopped");
            assertThat(stopped.now().memoryBytes()).isZero();
            assertThat(Objects.requireNonNull(stopped.now().diskBytes())).isGreaterThan(4 * MIB);
        }
    }

    private SandboxStats stats(TestSandbox box) {
        return api.caller().get(box.path() + "/stats").as(SandboxStats.class);
    }
}
