package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The disk of the daemon's own files is full or broken: it says so, loses nothing, and goes on when that is over. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class FullDiskTest {
    private static final Path RUN = Path.of("/run/sandglass-small-" + ProcessHandle.current().pid());

    @Test
    void aFullDiskStopsWhatWritesAndNothingElse() throws IOException, InterruptedException {
        try (SmallDisk disk = new SmallDisk(SharedDaemon.daemon());
                TestDaemon daemon = new TestDaemon(disk.data(), RUN).with("SANDGLASS_POOL", "btrfs")) {
            disk.fill();
            endsInTwoLines(daemon);
            assertThat(disk.data().resolve("token")).doesNotExist();
            disk.makeRoom();
            daemon.start();
            try (var files = Files.list(disk.data())) {
                assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith(".token-"));
            }

            TestSandbox box = daemon.api().create(SandboxRequest.on("container").name("survivor"));
            disk.fill();
            assertThat(refused(ErrorCode.DISK_FULL, () -> daemon.api().create(SandboxRequest.on("container"))).hint()).contains("room");
            refused(ErrorCode.DISK_FULL, () -> daemon.api().capture(box.id(), "no-room"));
            assertThat(daemon.api().snapshots()).isEmpty();
            assertThat(box.output("echo alive")).isEqualTo("alive");
            assertThat(daemon.api().names()).contains("survivor");

            daemon.kill();
            daemon.launch();
            daemon.awaitHealth();
            assertThat(box.output("echo adopted")).as("a start needs no room").isEqualTo("adopted");
            disk.makeRoom();
            daemon.stop();
            daemon.start();
            assertThat(daemon.api().names()).containsExactly("survivor");
            assertThat(Leftovers.of(daemon).strays()).isEmpty();
            daemon.api().create(SandboxRequest.on("container")).close();
            daemon.api().deleteSnapshot(daemon.api().capture(box.id(), "no-room").id());
            box.close();
            daemon.stop();
        }
    }

    @Test
    void aDiskThatRefusesWritesIsSaidSoAndNothingIsLost() throws IOException, InterruptedException {
        try (SmallDisk disk = new SmallDisk(SharedDaemon.daemon())) {
            try (TestDaemon daemon = new TestDaemon(disk.data(), RUN).with("SANDGLASS_POOL", "btrfs")) {
                daemon.start();
                daemon.api().create(SandboxRequest.on("container").name("before")).close();
                disk.fail();
                SandglassException refusal =
                        catchThrowableOfType(SandglassException.class, () -> daemon.api().create(SandboxRequest.on("container")));
                assertThat(refusal.code()).as(refusal.what()).isIn(ErrorCode.LEDGER_FAILED, ErrorCode.STORAGE_FAILED);
                assertThat(daemon.isAlive()).isTrue();
                daemon.kill();
                endsInTwoLines(daemon);
            }
            disk.repair();
            try (TestDaemon daemon = new TestDaemon(disk.data(), RUN).with("SANDGLASS_POOL", "btrfs")) {
                daemon.start();
                assertThat(daemon.api().names()).isEmpty();
                assertThat(Leftovers.of(daemon).strays()).isEmpty();
                daemon.api().create(SandboxRequest.on("container")).close();
                daemon.stop();
            }
        }
    }

    private static void endsInTwoLines(TestDaemon daemon) throws IOException, InterruptedException {
        Files.deleteIfExists(daemon.log());
        daemon.launch();
        assertThat(daemon.awaitEnd()).as(daemon.tail()).isEqualTo(1);
        List<String> words = Files.readAllLines(daemon.log());
        assertThat(words.subList(words.size() - 2, words.size()))
                .satisfiesExactly(first -> assertThat(first).startsWith("error: "), second -> assertThat(second).startsWith("hint: "));
        assertThat(words).noneMatch(line -> line.startsWith("\tat "));
    }
}
