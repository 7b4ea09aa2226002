package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The daemon dies while it makes a snapshot of a file: the snapshot is there whole, or nothing of it is. */
@ExtendWith(SharedDaemon.class)
@Timeout(300)
class ImportFailpointTest {
    private final TestDaemon daemon = SharedDaemon.daemon();

    @AfterEach
    void disarm() throws IOException, InterruptedException {
        daemon.revive();
        daemon.api().snapshots().forEach(snapshot -> daemon.api().deleteSnapshot(snapshot.id()));
    }

    @ParameterizedTest
    @CsvSource({
        "sgs, SNAPSHOT_RECORDED", "sgs, IMPORT_PART", "sgs, SNAPSHOT_TAKEN", "sgs, SNAPSHOT_READY",
        "full.sgs, IMPORT_PART", "full.sgs, SNAPSHOT_TAKEN", "full.sgs, SNAPSHOT_READY",
        "tar.gz, SNAPSHOT_RECORDED", "tar.gz, IMPORT_PART", "tar.gz, SNAPSHOT_READY"
    })
    void nothingHalfIsLeft(String format, Failpoint step) throws IOException, InterruptedException {
        Path file = switch (format) {
            case "sgs" -> exported();
            case "full.sgs" -> exportedWithAll();
            default -> packed();
        };
        // the last part, so that all before it is there already
        daemon.mortalAt(step.name(), format.equals("full.sgs") && step == Failpoint.IMPORT_PART ? 3 : 0);
        assertThatThrownBy(() -> read(file)).isInstanceOf(UncheckedIOException.class);
        assertThat(daemon.awaitEnd()).isEqualTo(137);
        daemon.revive();

        boolean whole = step == Failpoint.SNAPSHOT_READY;
        assertThat(daemon.api().allSnapshots()).extracting(Snapshot::name).isEqualTo(whole ? List.of("read") : List.of());
        assertThat(Leftovers.of(daemon).strays()).isEmpty();
        if (whole) {
            daemon.api().verify("read");
            daemon.api().deleteSnapshot("read");
        }
        assertThat(remains()).isEmpty();
        assertThat(read(file).name()).as("it can be read again").isEqualTo("read");
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(format.equals("full.sgs") ? "gvisor" : "container").from("read"))) {
            assertThat(box.output("cat /workspace/file")).isEqualTo("kept");
        }
        Files.delete(file);
    }

    /** What the kernel has not given a place on the disk yet is lost when the power fails. */
    @Test
    void memoryIsOnTheDiskWhenItsImportIsAcknowledged() throws IOException {
        CapturedMemory.assumeOn("gvisor");
        Path file = exportedWithAll();
        String memory = daemon.data() + "/pool/memory-" + read(file).id();
        String places = MountNamespace.inside(daemon.run(), "find " + memory + " -type f -size +0 -exec filefrag -v {} +");
        assertThat(places).contains("/pages.img: ").doesNotContain("delalloc");
        Files.delete(file);
    }

    private Snapshot read(Path file) throws IOException {
        Caller caller = daemon.caller();
        return caller.good(caller.send("POST", "/v1/snapshots/import?name=read", "application/octet-stream", BodyPublishers.ofFile(file))).as(Snapshot.class);
    }

    /** Of two layers. */
    private Path exported() throws IOException {
        Snapshot first;
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container"))) {
            box.output("echo kept > /workspace/file");
            first = daemon.api().capture(box.id(), null);
        }
        Path file = Files.createTempFile(daemon.data(), "file", ".sgs");
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("container").from(first.id()))) {
            box.output("echo more > /workspace/more");
            Snapshot second = daemon.api().capture(box.id(), null);
            try (InputStream exported = daemon.caller().open("/v1/snapshots/" + second.id() + "/export?thin=true")) {
                Files.write(file, exported.readAllBytes());
            }
            daemon.api().deleteSnapshot(second.id());
        }
        daemon.api().deleteSnapshot(first.id());
        return file;
    }

    /** With its processes, their agent and its image. */
    private Path exportedWithAll() throws IOException {
        Path file = Files.createTempFile(daemon.data(), "file", ".sgs");
        try (TestSandbox box = daemon.api().create(SandboxRequest.on("gvisor").memoryMb(256))) {
            box.output("echo kept > /workspace/file");
            Snapshot full = daemon.api().captureAll(box.id());
            try (InputStream exported = daemon.caller().open("/v1/snapshots/" + full.id() + "/export?thin=false")) {
                Files.copy(exported, file, StandardCopyOption.REPLACE_EXISTING);
            }
            daemon.api().deleteSnapshot(full.id());
        }
        return file;
    }

    private Path packed() throws IOException {
        Path upper = Files.createTempDirectory(daemon.data(), "upper");
        Path file = Files.createTempFile(daemon.data(), "file", ".tar.gz");
        MountNamespace.output(new ProcessBuilder(
                "sh", "-ec", "cd " + upper + "; chmod 755 .; mkdir workspace; echo kept > workspace/file; tar -czf " + file + " .; rm -r " + upper));
        return file;
    }

    private String remains() throws IOException {
        String data = daemon.data().toString();
        return MountNamespace.inside(
                daemon.run(),
                "find " + data + "/pool " + data + "/manifests " + data + "/archive-work -maxdepth 2 -name '*snap-*' -o -maxdepth 2 -name '.layer*' -o -maxdepth 2 -name '*.manifest*'");
    }
}
