package dev.sandglass.engine.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.pool.Shell;
import dev.sandglass.pool.archive.OciLayers;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk becomes an image only as long as somebody waits for it. */
class ImageExportTest {
    private static final SnapshotRecord SNAPSHOT = new SnapshotRecord(
            new SnapshotId("snap-000000000000"),
            1,
            Optional.empty(),
            SnapshotPurpose.KEPT,
            SnapshotState.READY,
            Optional.empty(),
            new SandboxId("sbx-000000000000"),
            "box",
            "container",
            "000000000000",
            List.of(),
            SnapshotRecord.Bytes.UNKNOWN,
            Optional.empty(),
            1,
            0,
            "",
            Map.of(),
            Optional.empty(),
            Instant.EPOCH,
            Optional.empty(),
            List.of(),
            CommandDefaults.NONE);

    @TempDir
    private Path directory;

    private Path tree;
    private Path work;

    @BeforeEach
    void make() throws IOException {
        tree = Files.createDirectory(directory.resolve("upper"));
        work = directory.resolve("work");
        Shell.run(tree, "truncate -s 64M zeros");
    }

    private ImageExport export(BooleanSupplier unwanted) throws IOException {
        return new ImageExport(new OciLayers(), () -> {}, WorkDirectory.open(work).place(), unwanted);
    }

    @Test
    void itIsWholeIfSomebodyWaits() throws IOException {
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        try (ImageExport export = export(() -> false)) {
            export.make(SNAPSHOT, List.of(tree), Optional.of("example:1"));
            export.writeTo(archive);
        }
        Path file = Files.write(directory.resolve("archive.tar"), archive.toByteArray());
        assertThat(Shell.run(directory, "tar tf \"$1\" | grep -c blobs/sha256/.", file)).isEqualTo("3");
        assertThat(work).isEmptyDirectory();
    }

    @Test
    void itEndsInTheMiddleOfAFileOnceNobodyDoes() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (ImageExport export = export(() -> asked.incrementAndGet() == 3)) {
            SandglassException ended = catchThrowableOfType(SandglassException.class, () -> export.make(SNAPSHOT, List.of(tree), Optional.empty()));
            assertThat(ended.code()).isEqualTo(ErrorCode.CONFLICT);
        }
        assertThat(asked).hasValue(3);
        assertThat(work).isEmptyDirectory();
    }
}
