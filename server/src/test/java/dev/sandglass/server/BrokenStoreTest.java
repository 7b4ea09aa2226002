package dev.sandglass.server;

import static dev.sandglass.server.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.wire.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the daemon keeps is broken, missing or in use: it says so, loses nothing and makes nothing half. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class BrokenStoreTest {
    private final TestDaemon daemon = SharedDaemon.daemon();
    private final Map<Path, byte[]> saved = new TreeMap<>();

    @AfterEach
    void repair() throws IOException, InterruptedException {
        if (daemon.isAlive()) {
            daemon.kill();
        }
        for (Map.Entry<Path, byte[]> file : saved.entrySet()) {
            Files.write(file.getKey(), file.getValue());
        }
        daemon.start();
    }

    @Test
    void aSecondDaemonOnTheSameDataRefusesToStart() throws IOException, InterruptedException {
        Path other = Path.of(daemon.run() + "-second");
        try (TestDaemon second = new TestDaemon(daemon.data(), other)) {
            second.launch();
            assertThat(second.awaitEnd()).isEqualTo(1);
            assertThat(second.tail()).contains("Another daemon uses " + daemon.data()).contains("process " + daemon.pid());
        }
        assertThat(daemon.api().status().pid()).isEqualTo(daemon.pid());
    }

    @Test
    void aCorruptLedgerStopsTheStartWithAClearWord() throws IOException, InterruptedException {
        Path ledger = LedgerFile.of(daemon);
        daemon.stop();
        save(ledger);
        byte[] broken = Files.readAllBytes(ledger);
        for (int i = 0; i < 100 && i < broken.length; i++) {
            broken[i] ^= 0x55;
        }
        Files.write(ledger, broken);
        daemon.launch();
        assertThat(daemon.awaitEnd()).isEqualTo(1);
        assertThat(daemon.tail()).contains("The ledger is damaged").contains("ledger.db.backup");
        assertThat(Files.readAllBytes(ledger)).as("the broken ledger is left for repair").isEqualTo(broken);
    }

    @Test
    void withoutABaseImageNothingIsMadeAndTheHintSaysHowToGetOne() throws IOException {
        Path pointer = daemon.data().resolve("images/base");
        save(pointer);
        Files.delete(pointer);
        List<String> before = daemon.api().names();
        assertThat(refused(ErrorCode.IMAGE_UNAVAILABLE, () -> daemon.api().create(SandboxRequest.on("container"))).hint())
                .contains("setup");
        assertThat(daemon.api().names()).isEqualTo(before);
    }

    @Test
    void aBrokenManifestOfTheImageIsSeen() throws IOException {
        Path images = daemon.data().resolve("images");
        Path manifest = images.resolve(Files.readString(images.resolve("base")).strip() + ".json");
        save(manifest);
        Files.writeString(manifest, "{\"version\": 1, \"id\":");
        refused(ErrorCode.IMAGE_UNAVAILABLE, () -> daemon.api().create(SandboxRequest.on("container")));
        Files.delete(manifest);
        refused(ErrorCode.IMAGE_UNAVAILABLE, () -> daemon.api().create(SandboxRequest.on("container")));
    }

    private void save(Path file) throws IOException {
        saved.put(file, Files.readAllBytes(file));
    }
}
