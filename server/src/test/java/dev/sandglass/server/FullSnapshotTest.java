package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes are captured with the disk, and go on in every copy as if nothing had happened. */
@OnEveryRuntime
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

    private static final Pattern LEAST = Pattern.compile("memory_mb: 64 .*\\(expected: >= (\\d+)\\)");

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    FullSnapshotTest(String runtime) {
        CapturedMemory.assumeOn(runtime);
        this.runtime = runtime;
    }

    @Test
    void copiesGoOnWithTheirMemory() throws IOException {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Command counting = source.start(Run.python(COUNTER));
            Eventually.get(() -> number(source), n -> n > 5);
            Snapshot snapshot = daemon.api().captureAll(source.id());
            long then = number(source);
            assertThat(snapshot.kind()).isEqualTo("full");
            assertThat(snapshot.memoryBytes()).isPositive();
            assertThat(snapshot.pauseMs()).isPositive();
            Eventually.get(() -> number(source), n -> n > then + 5);
            try (TestSandbox first = from(snapshot); TestSandbox second = from(snapshot)) {
                Set<String> generations = new HashSet<>(Set.of(source.output("cat /run/sandglass/generation")));
                for (TestSandbox copy : new TestSandbox[] {first, second}) {
                    assertThat(copy.command(counting.id()).state()).isEqualTo("running");
                    assertThat(copy.output("hostname; cat /run/sandglass/name")).isEqualTo(copy.name() + "\n" + copy.name());
                    assertThat(generations.add(copy.output("cat /run/sandglass/generation"))).as("a generation of its own").isTrue();
                    long now = number(copy);
                    Eventually.get(() -> number(copy), n -> n > now + 5);
                }
                first.signal(first.command(counting.id()), "KILL");
                first.await(counting);
                assertThat(second.command(counting.id()).state()).isEqualTo("running");
                assertThat(source.command(counting.id()).state()).isEqualTo("running");
                Snapshot again = daemon.api().captureAll(second.id());
                try (TestSandbox third = from(again)) {
                    assertThat(generations.add(third.output("cat /run/sandglass/generation"))).as("a generation of its own").isTrue();
                    assertThat(third.command(counting.id()).state()).isEqualTo("running");
                } finally {
                    daemon.api().deleteSnapshot(again.id());
                }
            }
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    @Test
    void anotherEngineAndTooLittleMemoryAreRefused() throws IOException, InterruptedException, SQLException {
        Assumptions.assumeTrue(runtime.equals("gvisor"), "CRIU says otherwise what it needs");
        try (TestSandbox source = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(512))) {
            Command holding = source.start(Run.python("x = b'x' * (200 << 20)\nprint('held', flush=True)\nimport time\ntime.sleep(1000)"));
            Eventually.get(() -> source.said(holding), "held\n"::equals);
            Snapshot snapshot = daemon.api().captureAll(source.id());
            SandboxRequest small = SandboxRequest.on("gvisor").memoryMb(64).from(snapshot.id());
            Matcher least = LEAST.matcher(refused(ErrorCode.CONFLICT, () -> daemon.api().create(small)).what());
            assertThat(least.matches()).isTrue();
            try (TestSandbox enough = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(Long.parseLong(least.group(1))).from(snapshot.id()))) {
                assertThat(enough.command(holding.id()).state()).isEqualTo("running");
            }
            daemon.kill();
            LedgerFile.update(daemon, "UPDATE snapshot SET details = json_set(details, '$.memory.traits.engine_version', 'release-20010203.0') WHERE id = '" + snapshot.id() + "'");
            daemon.start();
            assertThat(refused(ErrorCode.CONFLICT, () -> from(snapshot)).what()).startsWith("engine_version: ").contains("release-20010203.0");
            assertThat(refused(ErrorCode.CONFLICT, () -> source.rewind(snapshot.id())).what()).startsWith("engine_version: ");
            assertThat(source.command(holding.id()).state()).as("it is left alone").isEqualTo("running");
            daemon.api().create(SandboxRequest.on("gvisor").from(snapshot.id()).diskOnly()).close();
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    @Test
    void whatCannotGoOnIsRefusedBeforeAnythingHappens() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Snapshot snapshot = daemon.api().captureAll(source.id());
            String other = runtime.equals("gvisor") ? "container" : "gvisor";
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().create(SandboxRequest.on(other).from(snapshot.id()))).what()).contains("runtime");
            assertThat(refused(ErrorCode.CONFLICT, () -> daemon.api().create(SandboxRequest.on(runtime).security("standard").from(snapshot.id()))).what()).contains("security");
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    @Test
    void aDeletedFileThatIsInUseIsNamedAndTheSourceGoesOn() {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            String content = runtime.equals("gvisor") ? ":" : "head -c 70000000 /dev/zero >&3"; // more than is kept of a deleted file
            source.start(Run.shell("exec 3> /workspace/gone; " + content + "; rm /workspace/gone; touch /workspace/held; sleep 1000"));
            Eventually.get(() -> source.output("ls /workspace"), "held"::equals);
            assertThat(refused(ErrorCode.SNAPSHOT_BLOCKED, () -> daemon.api().captureAll(source.id())).what()).contains("/workspace/gone");
            assertThat(source.output("echo fine")).isEqualTo("fine");
            assertThat(daemon.api().snapshots()).isEmpty();
        }
    }

    @Test
    void itIsNamedAmongManyProcessesToo() {
        Assumptions.assumeTrue(runtime.equals("gvisor"), "a deleted file of this size does not hinder CRIU");
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(512))) {
            source.start(Run.shell("for i in $(seq 80); do sleep 1000 & done; exec 3> /workspace/gone; rm /workspace/gone; touch /workspace/held"
                    + "; until test -e /workspace/go; do sleep 0.1 3>&-; done; exec 3>&-; exec sleep 1000"));
            Eventually.get(() -> source.output("ls /workspace"), "held"::equals);
            assertThat(refused(ErrorCode.SNAPSHOT_BLOCKED, () -> daemon.api().captureAll(source.id())).what()).contains("/workspace/gone: process", "seq 80");
            assertThat(source.output("touch /workspace/go; echo fine")).isEqualTo("fine");
            Snapshot snapshot = Eventually.get(() -> tried(source), Optional::isPresent).orElseThrow();
            try (TestSandbox copy = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()))) {
                assertThat(copy.output("cat /proc/[0-9]*/comm | grep -c sleep")).isEqualTo("81");
            }
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    /** Empty while the file is still in use. */
    private Optional<Snapshot> tried(TestSandbox source) {
        try {
            return Optional.of(daemon.api().captureAll(source.id()));
        } catch (SandglassException blocked) {
            assertThat(blocked.code()).isEqualTo(ErrorCode.SNAPSHOT_BLOCKED);
            return Optional.empty();
        }
    }

    @Test
    void whatWasLookedAtUnderProcIsNotCaptured() {
        Assumptions.assumeTrue(runtime.equals("gvisor"), "the host's kernel is not captured");
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(512))) {
            source.output("for i in $(seq 40); do setsid sleep 1000 >/dev/null 2>&1 & done");
            long before = capturedBytes(source);
            source.output("cd /proc; for p in [0-9]*; do ls $p/task/$p $p/fd; cat $p/task/$p/status; done >/dev/null 2>&1");
            assertThat(capturedBytes(source)).as("each look would cost some 60 KB").isLessThan(before + 1_000_000);
        }
    }

    private long capturedBytes(TestSandbox source) {
        Snapshot snapshot = daemon.api().captureAll(source.id());
        daemon.api().deleteSnapshot(snapshot.id());
        return snapshot.memoryBytes();
    }

    @Test
    void damagedMemoryIsRefusedBeforeAnythingHappens() throws IOException, InterruptedException {
        try (TestSandbox source = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256))) {
            Snapshot snapshot = daemon.api().captureAll(source.id());
            String image = MountNamespace.inside(daemon.run(), "ls -d " + daemon.data().resolve("pool") + "/memory-" + snapshot.id()).strip();
            MountNamespace.inside(daemon.run(), "btrfs property set " + image + " ro false; f=$(find " + image + " -type f -size +64k | head -n 1)"
                    + "; printf '\\377\\0\\377' | dd of=$f bs=1 seek=5000 conv=notrunc status=none; btrfs property set " + image + " ro true");
            refused(ErrorCode.SNAPSHOT_DAMAGED, () -> daemon.api().verify(snapshot.id()));
            daemon.kill();
            daemon.start();
            refused(ErrorCode.SNAPSHOT_DAMAGED, () -> from(snapshot));
            try (TestSandbox disk = daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()).diskOnly())) {
                assertThat(disk.output("echo sound")).as("its disk is").isEqualTo("sound");
            }
            daemon.api().deleteSnapshot(snapshot.id());
        }
    }

    private TestSandbox from(Snapshot snapshot) {
        return daemon.api().create(SandboxRequest.on(runtime).from(snapshot.id()));
    }

    private static long number(TestSandbox box) {
        String text = box.output("cat /workspace/n 2>/dev/null || echo 0");
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }
}
