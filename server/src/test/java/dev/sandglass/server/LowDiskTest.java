package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Others fill the disk that has the sparse file of the pool: nothing is begun that needs room, so that what runs there has it. */
@ExtendWith(SharedDaemon.class)
@Timeout(600)
class LowDiskTest {
    private static final Path RUN = Path.of("/run/sandglass-low-" + ProcessHandle.current().pid());

    @Test
    void theLastRoomIsForWhatRunsAlready() throws IOException, InterruptedException {
        Path parent = Files.createTempDirectory(Path.of("..", ".test-data").toRealPath(), "low-disk");
        Path image = parent.resolve("disk.img");
        Path data = Files.createDirectory(parent.resolve("data"));
        shell("truncate -s 5G " + image + " && mkfs.ext4 -q -m 0 " + image + " && mount -o loop " + image + " " + data);
        try (TestDaemon daemon = new TestDaemon(data, RUN).with("SANDGLASS_POOL", "btrfs-loop").with("SANDGLASS_POOL_SIZE_MB", "4096")) {
            daemon.start();
            bringTheImage(daemon, parent.resolve("plain.sgs"));
            runsLow(daemon, data.resolve("others"));
            daemon.api().list().forEach(box -> daemon.api().destroy(box.id()));
            daemon.stop();
        } finally {
            shell("umount -R " + data + " && rm -r " + parent);
        }
    }

    private static void bringTheImage(TestDaemon daemon, Path file) throws IOException {
        TestDaemon shared = SharedDaemon.daemon();
        try (TestSandbox box = shared.api().create(SandboxRequest.on("container"))) {
            Snapshot plain = shared.api().capture(box.id(), "plain");
            try (InputStream exported = shared.caller().open("/v1/snapshots/plain/export?thin=false")) {
                Files.copy(exported, file);
            }
            shared.api().deleteSnapshot(plain.id());
        }
        Caller caller = daemon.caller();
        caller.good(caller.send("POST", "/v1/snapshots/import", "application/octet-stream", BodyPublishers.ofFile(file)));
        Files.delete(file);
    }

    private static TestSandbox made(TestDaemon daemon, String name) {
        return daemon.api().create(SandboxRequest.on("container").name(name).from("plain"));
    }

    private static void runsLow(TestDaemon daemon, Path others) throws IOException {
        TestSandbox neighbour = made(daemon, "neighbour");
        made(daemon, "stopped").stop();
        made(daemon, "paused").pause(true);
        assertThat(daemon.api().status().pool().note()).isNull();

        shell("fallocate -l $(( $(df --output=avail -B1 " + others.getParent() + " | tail -1) - 40 * 1024 * 1024 )) " + others);
        assertThat(refused(ErrorCode.DISK_FULL, () -> made(daemon, "another")).hint()).contains("room");
        TestPools pools = new TestPools(daemon);
        pools.set("plain", 1, null, null);
        assertThat(Eventually.get(() -> pools.get("plain"), pool -> pool.problem() != null || pool.ready() > 0).ready()).isZero();
        pools.remove("plain");
        refused(ErrorCode.DISK_FULL, () -> daemon.api().start("stopped"));
        refused(ErrorCode.DISK_FULL, () -> new TestSandbox(daemon.caller(), daemon.api().get("paused")).resume(false));
        refused(ErrorCode.DISK_FULL, () -> daemon.api().capture(neighbour.id(), "no-room"));
        refused(ErrorCode.DISK_FULL, () -> neighbour.rewind("plain"));
        refused(ErrorCode.DISK_FULL, () -> daemon.caller().post(neighbour.path() + "/fork", new ForkSandbox(1, null, null, null, null, null, null, true)));
        refused(ErrorCode.DISK_FULL, () -> daemon.caller()
                .good(daemon.caller().send("POST", "/v1/snapshots/import", "application/octet-stream", BodyPublishers.ofString("a file"))));
        assertThat(daemon.api().status().pool().note()).contains("MB free");
        assertThat(neighbour.now().state()).isEqualTo("running");
        neighbour.output("dd if=/dev/urandom of=/workspace/file bs=1M count=8 2> /dev/null && sync /workspace/file && sha256sum /workspace/file > /workspace/sum");
        assertThat(MountNamespace.inside(daemon.run(), "touch " + others.resolveSibling("pool") + "/probe && rm " + others.resolveSibling("pool") + "/probe && echo writable"))
                .contains("writable");
        daemon.api().destroy("stopped");
        daemon.api().stop("neighbour");

        Files.delete(others);
        daemon.api().start("neighbour");
        assertThat(neighbour.output("sha256sum -c /workspace/sum")).contains("OK");
        made(daemon, "another").close();
        assertThat(daemon.api().status().pool().note()).isNull();
    }

    private static void shell(String script) throws IOException {
        MountNamespace.output(new ProcessBuilder("sh", "-ec", script));
    }
}
