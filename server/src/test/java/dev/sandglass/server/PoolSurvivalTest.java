package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.life.Failpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pools outlive daemons; what waits in them does not, and nothing of it is left over. */
@OnEveryRuntime
@Timeout(600)
class PoolSurvivalTest {
    private static final String NAME = "ready";

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final TestPools pools = new TestPools(daemon);
    private final String runtime;

    PoolSurvivalTest(String runtime) {
        this.runtime = runtime;
    }

    @BeforeEach
    void takeASnapshot() {
        try (TestSandbox origin = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            daemon.api().capture(origin.id(), NAME);
        }
    }

    @AfterEach
    void leaveNothing() throws IOException, InterruptedException {
        daemon.revive();
        pools.clear();
        daemon.api().list().stream().filter(box -> box.name().startsWith("pooled")).forEach(box -> daemon.api().destroy(box.id()));
        daemon.api().deleteSnapshot(NAME);
    }

    private TestSandbox claim(String name) {
        return daemon.api().create(new SandboxRequest().from(NAME).name(name));
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARE_STARTED", "SPARE_READY"})
    void aDeathWhileItIsFilledLeavesNothing(Failpoint step) throws IOException, InterruptedException {
        daemon.mortalAt(step.name(), 1);
        try {
            pools.set(NAME, 3, null, null);
        } catch (UncheckedIOException before) {
            assertThat(step).as("it died before it could answer").isNotNull();
        }
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        pools.filled(NAME);
        Set<String> waiting = pools.waiting();
        assertThat(waiting).hasSize(3);
        try (TestSandbox box = claim("pooled")) {
            assertThat(waiting).contains(box.id());
            assertThat(box.output("hostname")).isEqualTo("pooled");
        }
        pools.clear();
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"CREATE_IDENTITY", "CREATE_ANSWERED", "CREATE_RUNNING"})
    void aDeathWhileOneIsClaimedLeavesItWholeOrNotAtAll(Failpoint step) throws IOException, InterruptedException {
        pools.filled(NAME, 2, null);
        Set<String> waiting = pools.waiting();
        daemon.mortalAt(step.name());
        assertThatThrownBy(() -> claim("pooled")).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();
        boolean survives = step == Failpoint.CREATE_RUNNING;
        assertThat(daemon.api().names().contains("pooled")).isEqualTo(survives);
        pools.filled(NAME);
        assertThat(pools.waiting()).hasSize(2).doesNotContainAnyElementsOf(waiting);
        if (survives) {
            TestSandbox box = new TestSandbox(daemon.caller(), daemon.api().get("pooled"));
            assertThat(waiting).contains(box.id());
            assertThat(box.output("hostname")).isEqualTo("pooled");
        }
        pools.clear();
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
    }

    @Test
    void theyTakeNoMoreMemoryThanTheyMay() throws IOException, InterruptedException {
        daemon.stop();
        daemon.with("SANDGLASS_POOL_MEMORY_MB", "33").start();
        try {
            pools.set(NAME, 1000, null, null);
            assertThat(Eventually.get(() -> pools.get(NAME), pool -> pool.ready() > 0 && pool.filling() == 0 && pool.problem() != null).problem()).contains("pool_memory_mb");
            assertThat(pools.get(NAME).memoryBytes()).isBetween(1L, 33L << 20);
        } finally {
            daemon.stop();
            daemon.without("SANDGLASS_POOL_MEMORY_MB").start();
        }
        assertThat(pools.get(NAME).minIdle()).as("a daemon that is stopped forgets none").isEqualTo(1000);
        pools.set(NAME, 1, null, null);
    }
}
