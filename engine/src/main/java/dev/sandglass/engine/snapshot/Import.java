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
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One file as it comes in: recorded, made part by part, published. For one run; not thread-safe. */
final class Import {
    private static final Logger LOG = LoggerFactory.getLogger(Import.class);

    /** How a file begins that gzip made. */
    private static final byte[] GZIP = {0x1f, (byte) 0x8b};

    /** How one begins that zstd made. */
    private static final byte[] ZSTD = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd};

    /** What a tar archive has in its first header, and where. */
    private static final byte[] USTAR = {'u', 's', 't', 'a', 'r'};

    private static final int USTAR_AT = 257;

    private final Archives.Tools tools;
    private final WorkFiles files;
    private final Optional<String> name;
    private final SnapshotId id = SnapshotId.random();
    private final Quota.Reservation reservation;
    private final Budget budget;
    private @Nullable SnapshotRecord record;
    private int layersMade;
    /** Which nobody had before. */
    private Optional<String> newAgent = Optional.empty();

    /** @param room on the disk */
    Import(Archives.Tools tools, WorkFiles files, Optional<String> name, long room) {
        this.tools = tools;
        this.files = files;
        this.name = name;
        this.reservation = tools.quota().reserve(id, true);
        this.budget = new Budget(room, reservation::add);
    }

    SnapshotRecord run(InputStream file) {
        try {
            return tools.packing().apart(() -> {
                PushbackInputStream begun = new PushbackInputStream(file, USTAR_AT + USTAR.length);
                if (isTar(begun)) {
                    return readTar(begun);
                }
                try (InputStream expanded = tools.packing().expanded(begun)) {
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
        } finally {
            reservation.release();
        }
    }

    private static boolean isTar(PushbackInputStream file) throws IOException {
        byte[] start = file.readNBytes(USTAR_AT + USTAR.length);
        file.unread(start);
        boolean isTar = has(start, 0, GZIP) || has(start, USTAR_AT, USTAR);
        if (!isTar && !has(start, 0, ZSTD)) {
            throw ArchiveFormat.refused(
                    start.length == 0 ? "it is empty" : "it is none (expected: what `snapshot export` wrote, or a tar archive, plain or compressed with gzip)");
        }
        return isTar;
    }

    private static boolean has(byte[] start, int at, byte[] magic) {
        return start.length >= at + magic.length && Arrays.equals(start, at, at + magic.length, magic, 0, magic.length);
    }

    /** What lies on the base image, and no more. */
    private SnapshotRecord readTar(InputStream tar) throws IOException {
        SnapshotRecord making = Imported.ofTar(id, name, tools.images().require().id());
        tools.ledger().insert(making);
        record = making;
        Failpoint.SNAPSHOT_RECORDED.reach();
        tools.layers().make(making.layers().getFirst(), making.image(), directory ->
                tools.packing().untar(tar, Files.createDirectory(directory.resolve("upper")), budget));
        Failpoint.IMPORT_PART.reach();
        return publish(making);
    }

    private SnapshotRecord read(ArchiveReader archive) throws IOException {
        ArchiveHeader header = archive.header();
        SnapshotRecord making = Imported.record(id, name, header, tools.trustsProcesses().test(header.runtime()));
        requireImage(header);
        tools.ledger().insert(making);
        record = making;
        requireImage(header); // from its row on it stays, but it may have been on its way out
        Failpoint.SNAPSHOT_RECORDED.reach();
        for (Part part : header.parts()) {
            take(archive, part, making);
            Failpoint.IMPORT_PART.reach();
        }
        archive.finish();
        return publish(making);
    }

    private void requireImage(ArchiveHeader header) {
        if (header.imageManifest() == null && !tools.images().has(header.image())) {
            throw new SandglassException(
                    ErrorCode.IMAGE_UNAVAILABLE,
                    "The file stands on image " + header.image() + ", which is neither in it nor here.",
                    "Export the snapshot without --thin.");
        }
    }

    private SnapshotRecord publish(SnapshotRecord making) {
        Failpoint.SNAPSHOT_TAKEN.reach();
        List<LayerBytes> sizes = making.layers().stream().map(layer -> tools.layers().bytes(layer, Optional.empty())).toList();
        long disk = sizes.stream().mapToLong(LayerBytes::total).sum();
        SnapshotRecord ready = making.ready(
                making.layers(), new SnapshotRecord.Bytes(disk, sizes.getFirst().total(), disk), making.memory(), making.pauseMicros());
        reservation.correct(disk + ready.memory().map(SnapshotRecord.Memory::bytes).orElse(0L));
        tools.ledger().update(ready);
        reservation.keep();
        Failpoint.SNAPSHOT_READY.reach();
        LOG.info("Imported {}", id);
        return ready;
    }

    private void take(ArchiveReader archive, Part part, SnapshotRecord making) throws IOException {
        if (part.role().equals(Part.AGENT)) {
            takeAgent(archive, part, making.memory().isPresent());
            return;
        }
        budget.take(2 * part.manifestBytes()); // as it comes, and as it is kept
        Path manifest = files.make();
        archive.manifest(part, manifest, tools.packing());
        switch (part.role()) {
            case Part.IMAGE -> takeImage(archive, manifest, making.image());
            case Part.LAYER -> {
                String layer = making.layers().get(layersMade++);
                tools.layers().make(layer, making.image(), directory -> {
                    Path upper = Files.createDirectory(directory.resolve("upper"));
                    tools.packing().unpack(archive.content(), manifest, upper, budget);
                }, manifest);
            }
            case Part.MEMORY -> {
                if (making.memory().isEmpty()) {
                    LOG.warn("{} gets the disk of a file only: processes of {} go on only where they were captured", id, making.runtime());
                    tools.packing().skip(archive.content(), manifest);
                    break;
                }
                MemoryFiles.requireSaid(manifest);
                Path image = tools.memories().make(id);
                tools.packing().unpack(archive.content(), manifest, image, budget);
                tools.memories().adopt(making, manifest);
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

    private void takeAgent(ArchiveReader archive, Part part, boolean isNeeded) throws IOException {
        byte[] binary = archive.agent(part);
        if (!Sha256.of(binary).equals(part.digest())) {
            throw ArchiveFormat.refused("the agent has the digest " + Sha256.of(binary) + " (expected: " + part.digest() + ")");
        }
        if (isNeeded && tools.agents().put(part.digest(), binary)) {
            newAgent = Optional.of(part.digest());
        }
    }

    /** Takes away what there is of it. */
    private void undo(RuntimeException cause) {
        if (record == null) {
            return;
        }
        try {
            tools.ledger().delete(id);
            tools.layers().removeUnused();
            tools.memories().removeUnused();
            tools.usedImages().leave(Objects.requireNonNull(record).image());
            newAgent.ifPresent(agent -> tools.agents().removeUnless(agent, () -> tools.ledger().agentsInUse().contains(agent)));
        } catch (RuntimeException problem) {
            LOG.error("What was made of {} could not be taken away; it is done at the next start", id, problem);
            cause.addSuppressed(problem);
        }
    }
}
