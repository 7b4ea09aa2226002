package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A sandbox that waits for its turn to be brought back. */
@ExtendWith(SharedDaemon.class)
@Timeout(600)
class WaitingRestoreTest {
    private static final String RUNTIME = "gvisor";
    /** At once on a machine with few processors. */
    private static final int TURNS = 4;

    private final TestDaemon daemon = SharedDaemon.daemon();

    @AfterEach
    void disarm() throws IOException, InterruptedException {
        daemon.without("JAVA_TOOL_OPTIONS").disarmed();
        daemon.stop();
        daemon.start();
        daemon.api().names().stream().filter(name -> name.startsWith("turn-")).forEach(daemon.api()::destroy);
        daemon.api().snapshots().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
    }

    @Test
    void itIsDestroyedWhileTheOthersStillHaveTheTurns() throws IOException, InterruptedException {
        CapturedMemory.assumeOn(RUNTIME);
        Snapshot snapshot;
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(RUNTIME).memoryMb(128).cpus(1))) {
            snapshot = daemon.api().captureAll(source.id());
        }
        daemon.stop();
        daemon.holdingAt(Failpoint.RESUME_TURN.name(), TURNS).with("JAVA_TOOL_OPTIONS", "-XX:ActiveProcessorCount=1").start();
        List<CompletableFuture<TestSandbox>> all = new ArrayList<>();
        for (int i = 0; i < TURNS; i++) {
            all.add(restored(snapshot, "turn-" + i));
        }
        daemon.atTheStep(() -> {
            CompletableFuture<TestSandbox> late = restored(snapshot, "turn-late");
            Eventually.get(() -> daemon.api().names(), names -> names.contains("turn-late"));
            daemon.api().destroy("turn-late");
            // One that had waited until its time was over would be told that the limit is reached.
            Throwable told = late.handle((_, _) -> late.exceptionNow()).join();
            refused(ErrorCode.CONFLICT, () -> {
                throw told;
            });
            assertThat(daemon.api().names()).doesNotContain("turn-late");
            assertThat(all).as("those that have the turns").noneMatch(CompletableFuture::isDone);
        });
        all.forEach(each -> each.join().close());
    }

    private CompletableFuture<TestSandbox> restored(Snapshot from, String name) {
        return CompletableFuture.supplyAsync(() -> daemon.api().create(SandboxRequest.on(RUNTIME).from(from.id()).name(name)), Thread::startVirtualThread);
    }
}
