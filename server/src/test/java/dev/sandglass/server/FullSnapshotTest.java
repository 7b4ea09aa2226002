package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes are captured with the disk, and go on in every copy as if nothing had happened. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class FullSnapshotTest {
    private static final String COUNTER =
            """
            import sys, time
            n = 0
            while True:
                n += 1
                open('/workspace/n', 'w').write(str(n))
                print(n, flush=True)
                time.sleep(0.05)
            """;

    private final TestDaemon daemon = SharedDaemon.daemon();

    @Test
    void copiesGoOnWithTheirMemory() throws IOException {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256))) {
            Command counting = source.start(Run.python(COUNTER));
            Eventually.get(() -> number(source), n -> n > 5);
            Snapshot snapshot = daemon.api().captureAll(source.id());
            long then = number(source);
            assertThat(snapshot.kind()).isEqualTo("full");
            assertThat(snapshot.memoryBytes()).isPositive();
            assertThat(snapshot.pauseMs()).isPositive();
            Eventually.get(() -> number(source), n -> n > then + 5);
            try (TestSandbox first = from(snapshot); TestSandbox second = from(snapshot)) {
                for (TestSandbox copy : new TestSandbox[] {first, second}) {
                    assertThat(copy.command(counting.id()).state()).isEqualTo("running");
                    assertThat(copy.output("hostname; cat /run/sandglass/generation /run/sandglass/name"))
                            .isEqualTo(copy.name() + "\n2\n" + copy.name());
                    long now = number(copy);
                    Eventually.get(() -> number(copy), n -> n > now + 5);
                }
                first.signal(first.command(counting.id()), "KILL");
                first.await(counting);
                assertThat(second.command(counting.id()).state()).isEqualTo("running");
                assertThat(source.command(counting.id()).state()).isEqualTo("running");
                Snapshot again = daemon.api().captureAll(second.id());
                try (TestSandbox third = from(again)) {
                    assertThat(third.output("cat /run/sandglass/generation")).isEqualTo("3");
                    assertThat(third.command(counting.id()).state()).isEqualTo("running");
                } finally {
                    daemon.api().deleteSnapshot(again.id());
                }
            }
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    @Test
    void whatCannotGoOnIsRefusedBeforeAnythingHappens() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256))) {
            Snapshot snapshot = daemon.api().captureAll(source.id());
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().create(SandboxRequest.on("container").from(snapshot.id()))).what()).contains("runtime");
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().create(SandboxRequest.on("gvisor").security("standard").from(snapshot.id()))).what()).contains("security");
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    @Test
    void aDeletedFileThatIsInUseIsNamedAndTheSourceGoesOn() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256))) {
            source.start(Run.shell("exec 3> /workspace/gone; rm /workspace/gone; sleep 1000"));
            Eventually.get(() -> source.output("ls /workspace | wc -l"), "0"::equals);
            assertThat(refused(ErrorCode.SNAPSHOT_BLOCKED, () -> daemon.api().captureAll(source.id())).what()).contains("/workspace/gone");
            assertThat(source.output("echo fine")).isEqualTo("fine");
            assertThat(daemon.api().snapshots()).isEmpty();
        }
    }

    private TestSandbox from(Snapshot snapshot) {
        return daemon.api().create(SandboxRequest.on("gvisor").from(snapshot.id()));
    }

    private static long number(TestSandbox box) {
        String text = box.output("cat /workspace/n 2>/dev/null || echo 0");
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }
}
