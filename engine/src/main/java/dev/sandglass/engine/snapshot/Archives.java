package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.archive.Packing;
import dev.sandglass.engine.guest.Agents;
import dev.sandglass.engine.image.Images;
import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.manifest.Manifests;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotFile;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Snapshots on their way out as files, and in. Thread-safe. */
public final class Archives implements AutoCloseable {
    /** What an import leaves free on the disk. */
    private static final long RESERVE = 512L << 20;

    /**
     * What exports and imports work with.
     *
     * @param sound refuses a snapshot that is not as it was, and stops looking once nobody wants to know
     */
    record Tools(
            SnapshotLedger ledger, LayerStore layers, MemoryStore memories, Quota quota, Manifests manifests, Images images, UsedImages usedImages, Agents agents, Packing packing,
            Predicate<String> trustsProcesses, BiConsumer<SnapshotRecord, BooleanSupplier> sound) {}

    private final Tools tools;
    private final Pool pool;
    private final Path work;
    private final SnapshotDirectory directory;
    private Optional<Intake> intake = Optional.empty();

    private Archives(Tools tools, Pool pool, Path work, SnapshotDirectory directory) {
        this.directory = directory;
        this.tools = tools;
        this.pool = pool;
        this.work = work;
    }

    /**
     * Removes what an earlier daemon left in the working directory.
     *
     * @param work for manifests that are on their way; nobody else's
     * @param directory for files of snapshots
     */
    public static Archives open(
            Snapshots snapshots, Pool pool, Manifests manifests, Images images, Agents agents, Packing packing, Path work, Path directory) {
        try {
            Files.createDirectories(work);
            try (DirectoryStream<Path> left = Files.newDirectoryStream(work)) {
                for (Path file : left) {
                    Files.delete(file);
                }
            }
            Tools tools = new Tools(snapshots.ledger(), snapshots.layers(), snapshots.memories(), snapshots.quota(), manifests, images, snapshots.images(), agents, packing,
                    snapshots::trustsProcesses, (snapshot, unwanted) -> snapshots.require(snapshot, true, unwanted));
            return new Archives(tools, pool, work, SnapshotDirectory.open(directory));
        } catch (IOException problem) {
            throw StorageFailure.of("The directories " + work + " and " + directory + " cannot be used", problem);
        }
    }

    /**
     * Begins to export a snapshot: what cannot be, or is damaged, is refused here. It stays whole until the export is closed, deleted or not.
     *
     * @param thin the image is named, not included
     * @param unwanted once it is so, the look at all of it ends soon with {@code conflict}
     */
    public Export export(String ref, boolean thin, BooleanSupplier unwanted) {
        SnapshotRecord snapshot = tools.ledger().resolve(ref);
        Export export = new Export(tools, snapshot, new WorkFiles(work));
        try {
            tools.ledger().resolve(snapshot.id().text()); // held now, so it stays if it is still there
            tools.sound().accept(snapshot, unwanted);
            export.describe(thin);
            return export;
        } catch (RuntimeException problem) {
            export.close();
            throw problem;
        }
    }

    /** Writes the file of a snapshot into the directory for them, under its name, or its id if it has none. */
    public SnapshotFile write(String ref, boolean thin) {
        pool.requireRoom();
        try (Export export = export(ref, thin, () -> false)) {
            return directory.write(export);
        }
    }

    /**
     * Makes a snapshot of a file while it comes in; {@code archive_refused} and nothing left if it is not what an export wrote.
     *
     * @param name instead of the one in the file
     */
    public Snapshot read(InputStream file, Optional<String> name) {
        name.ifPresent(Rules::name);
        pool.requireRoom();
        try (WorkFiles files = new WorkFiles(work)) {
            return Views.of(new Import(tools, files, name, roomOnDisk()).run(file));
        }
    }

    private long roomOnDisk() {
        return pool.status().freeBytes() - RESERVE;
    }

    /** How many bytes a file may have in it that is read now. */
    long room() {
        return Math.min(roomOnDisk(), tools.quota().room());
    }

    /** Begins to take in the files that lie in the directory for them, and those that come. Once, when all else is in place. */
    public synchronized void watch() {
        try {
            intake = Optional.of(Intake.start(this, directory.path()));
        } catch (IOException problem) {
            throw StorageFailure.of("The directory " + directory.path() + " cannot be watched", problem);
        }
    }

    @Override
    public synchronized void close() {
        intake.ifPresent(Intake::close);
    }
}
