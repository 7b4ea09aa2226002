package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.archive.ArchiveFormat;
import dev.sandglass.engine.archive.ArchiveReader;
import dev.sandglass.engine.archive.Budget;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.engine.pool.LayerBytes;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.ArchiveHeader;
import dev.sandglass.wire.ArchiveHeader.Part;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One file as it comes in: recorded, made part by part, published. For one run; not thread-safe. */
final class Import {
    private static final Logger LOG = LoggerFactory.getLogger(Import.class);

    private final Archives.Tools tools;
    private final WorkFiles files;
    private final Optional<String> name;
    private final Budget budget;
    private final SnapshotId id = SnapshotId.random();
    private @Nullable SnapshotRecord record;
    private int layersMade;

    Import(Archives.Tools tools, WorkFiles files, Optional<String> name, long room) {
        this.tools = tools;
        this.files = files;
        this.name = name;
        this.budget = new Budget(room);
    }

    SnapshotRecord run(InputStream file) {
        try {
            return tools.packing().apart(() -> {
                try (InputStream expanded = tools.packing().expanded(file)) {
                    return read(new ArchiveReader(expanded));
                }
            });
        } catch (IOException problem) {
            SandglassException failure = StorageFailure.of("The file cannot be read, or what is in it cannot be written", problem);
            undo(failure);
            throw failure;
        } catch (RuntimeException problem) {
            undo(problem);
            throw problem;
        }
    }

    private SnapshotRecord read(ArchiveReader archive) throws IOException {
        ArchiveHeader header = archive.header();
        SnapshotRecord making = Imported.record(id, name, header);
        if (header.imageManifest() == null && !tools.images().has(header.image())) {
            throw new SandglassException(
                    ErrorCode.IMAGE_UNAVAILABLE,
                    "The file stands on image " + header.image() + ", which is neither in it nor here.",
                    "Export the snapshot without --thin.");
        }
        tools.ledger().insert(making);
        record = making;
        Failpoint.SNAPSHOT_RECORDED.reach();
        for (Part part : header.parts()) {
            take(archive, part, making);
        }
        archive.finish();
        Failpoint.SNAPSHOT_TAKEN.reach();
        LayerBytes bytes = tools.layers().bytes(making.layers().getFirst(), Optional.empty());
        SnapshotRecord ready = making.ready(
                making.layers(), new SnapshotRecord.Bytes(bytes.own(), bytes.total()), making.memory(), making.pauseMicros());
        tools.ledger().update(ready);
        Failpoint.SNAPSHOT_READY.reach();
        LOG.info("Imported {}", id);
        return ready;
    }

    private void take(ArchiveReader archive, Part part, SnapshotRecord making) throws IOException {
        if (part.role().equals(Part.AGENT)) {
            takeAgent(archive, part);
            return;
        }
        Path manifest = files.make();
        archive.manifest(part, manifest, tools.packing());
        switch (part.role()) {
            case Part.IMAGE -> takeImage(archive, manifest, making.image());
            case Part.LAYER -> {
                String layer = making.layers().get(layersMade++);
                tools.layers().make(layer, directory -> {
                    Path upper = Files.createDirectory(directory.resolve("upper"));
                    tools.packing().unpack(archive.content(), manifest, upper, budget);
                }, manifest);
            }
            case Part.MEMORY -> {
                Path image = tools.memories().make(id);
                tools.packing().unpack(archive.content(), manifest, image, budget);
                tools.memories().adopt(id, making.memory().orElseThrow().traits(), manifest);
            }
            default -> throw ArchiveFormat.refused("a part is a " + part.role());
        }
        files.remove(manifest);
    }

    private void takeImage(ArchiveReader archive, Path manifest, String image) throws IOException {
        boolean[] taken = {false};
        String description = Optional.ofNullable(archive.header().imageManifest()).orElseThrow(() -> ArchiveFormat.refused("its image has no manifest"));
        tools.images().install(image, description, tree -> {
            taken[0] = true;
            tools.packing().unpack(archive.content(), manifest, tree, budget);
        });
        if (!taken[0]) {
            tools.packing().skip(archive.content(), manifest);
        }
    }

    private void takeAgent(ArchiveReader archive, Part part) throws IOException {
        byte[] binary = archive.agent(part);
        if (!Sha256.of(binary).equals(part.digest())) {
            throw ArchiveFormat.refused("the agent has the digest " + Sha256.of(binary) + " (expected: " + part.digest() + ")");
        }
        tools.agents().put(part.digest(), binary);
    }

    /** Takes away what there is of it. */
    private void undo(RuntimeException cause) {
        if (record == null) {
            return;
        }
        try {
            tools.ledger().find(id).ifPresent(written -> tools.ledger().update(written.deleted()));
            tools.layers().removeUnused();
            tools.memories().removeUnused();
        } catch (RuntimeException problem) {
            LOG.error("What was made of {} could not be taken away; it is done at the next start", id, problem);
            cause.addSuppressed(problem);
        }
    }
}
