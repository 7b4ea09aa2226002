package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.manifest.Facts;
import dev.sandglass.engine.manifest.ManifestSource;
import dev.sandglass.engine.manifest.ManifestSummary;
import dev.sandglass.engine.manifest.Manifests;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The captured processes of full snapshots: the runtime's image of each, with its manifest. It may land in memory, and is brought to the pool before
 * it counts as kept. Thread-safe.
 */
final class MemoryStore {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryStore.class);
    private static final String PREFIX = "memory-";
    private static final String IMAGE = "image";

    private final SnapshotLedger ledger;
    private final Pool pool;
    private final Landing landing;
    private final Manifests manifests;
    private final Path directory;
    private final Damage damage;
    private final Set<SnapshotId> verified = ConcurrentHashMap.newKeySet();
    /** Those that go with the work for which they were made: nothing of them is written down, and no later daemon uses them. */
    private final Set<SnapshotId> passing = ConcurrentHashMap.newKeySet();
    /** Those that somebody reads, one for each who does. */
    private final List<SnapshotId> held = new ArrayList<>();
    /** Those that are in the pool, while somebody still reads them where they landed. */
    private final Set<SnapshotId> brought = ConcurrentHashMap.newKeySet();

    /** @param directory where the manifests are */
    MemoryStore(SnapshotLedger ledger, Pool pool, Landing landing, Manifests manifests, Path directory, Damage damage) {
        this.ledger = ledger;
        this.pool = pool;
        this.landing = landing;
        this.manifests = manifests;
        this.directory = directory;
        this.damage = damage;
    }

    /** An empty directory for a runtime's image that is written while its sandbox stands still: in memory if so many bytes have room there. */
    Path land(SnapshotId id, long bytes) {
        return landing.take(tree(id), bytes).orElseGet(() -> make(id));
    }

    /** Another empty directory, in the pool, in place of one that has no room. */
    Path spill(SnapshotId id) {
        leaveLanding(id);
        return make(id);
    }

    /** Another empty directory, in the pool, if an image will have so many bytes that it has no room where it was to land. */
    Optional<Path> outgrown(SnapshotId id, long bytes) {
        return landing.grow(tree(id), bytes) ? Optional.empty() : Optional.of(spill(id));
    }

    /** An empty directory for a runtime's image, in the pool. */
    Path make(SnapshotId id) {
        try {
            return Files.createDirectory(pool.create(tree(id)).resolve(IMAGE));
        } catch (IOException problem) {
            throw StorageFailure.of("A directory for captured memory cannot be made", problem);
        }
    }

    Path path(SnapshotId id) {
        return landed(id).orElseGet(() -> pool.path(tree(id)).resolve(IMAGE));
    }

    private Optional<Path> landed(SnapshotId id) {
        return brought.contains(id) ? Optional.empty() : landing.find(tree(id));
    }

    /**
     * Lets nobody change an image that is whole and that its maker alone uses, as long as this daemon runs. To read all of it takes longer
     * than to let a copy of it go on.
     *
     * @return how large it is
     */
    long pass(SnapshotId id) {
        if (landed(id).isEmpty()) {
            pool.seal(tree(id));
        }
        passing.add(id);
        try (Stream<Path> files = Files.list(path(id))) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException problem) {
            throw StorageFailure.of("Captured memory cannot be listed", problem);
        }
    }

    /** Writes the manifest of an image that is whole, and lets nobody change it. */
    ManifestSummary describe(SnapshotRecord snapshot, BooleanSupplier unwanted) {
        SnapshotId id = snapshot.id();
        landed(id).ifPresent(image -> bring(id, image));
        Trace.step("memory to the disk");
        sync(path(id));
        pool.seal(tree(id));
        ManifestSummary whole = manifests.write(source(snapshot), manifest(id), Optional.empty(), unwanted);
        verified.add(id);
        passing.remove(id);
        return whole;
    }

    private static void sync(Path image) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(image)) {
            for (Path file : files) {
                force(file);
            }
            force(image);
            force(Objects.requireNonNull(image.getParent()));
        } catch (IOException problem) {
            throw StorageFailure.of("Captured memory cannot be brought to the disk", problem);
        }
    }

    private static void force(Path path) throws IOException {
        try (FileChannel open = FileChannel.open(path, StandardOpenOption.READ)) { // it may be sealed, or a directory
            open.force(true);
        }
    }

    /** Who reads it where it landed goes on doing so; others find it in the pool. */
    private void bring(SnapshotId id, Path image) {
        Trace.step("memory to the pool");
        Path kept = make(id);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(image)) {
            for (Path file : files) {
                Files.copy(file, kept.resolve(file.getFileName()));
            }
        } catch (IOException problem) {
            throw StorageFailure.of("Captured memory cannot be brought to the pool", problem);
        }
        synchronized (this) {
            brought.add(id);
            if (!held.contains(id)) {
                leaveLanding(id);
            }
        }
    }

    /** What cannot be removed from there is taken away by the next daemon. */
    private void leaveLanding(SnapshotId id) {
        try {
            landing.remove(tree(id));
            brought.remove(id);
        } catch (IOException problem) {
            LOG.warn("{} could not be removed from where it landed", id, problem);
        }
    }

    /** Writes the manifest of an image that was made as a portable one says, and lets nobody change it. */
    void adopt(SnapshotRecord snapshot, Path followed) {
        SnapshotId id = snapshot.id();
        sync(path(id));
        pool.seal(tree(id));
        manifests.adopt(source(snapshot), manifest(id), followed);
        verified.add(id);
    }

    /** Keeps an image until it is released. */
    synchronized void hold(SnapshotId id) {
        held.add(id);
    }

    void release(SnapshotId id) {
        synchronized (this) {
            held.remove(id);
            if (!held.contains(id) && brought.contains(id)) {
                leaveLanding(id);
            }
        }
        if (!ledger.ids().contains(id)) {
            removeUnused();
        }
    }

    /** Refuses an image that is not as it was: read whole the first time since this daemon started. */
    void require(SnapshotRecord snapshot, BooleanSupplier unwanted) {
        SnapshotId id = snapshot.id();
        damage.refuse(manifest(id));
        MemoryFiles.requireFound(path(id));
        if (passing.contains(id)) {
            return;
        }
        if (verified.contains(id)) {
            damage.noted(manifest(id), () -> {
                manifests.check(source(snapshot), manifest(id));
                return true;
            });
        } else {
            verify(snapshot, unwanted);
        }
    }

    void verify(SnapshotRecord snapshot, BooleanSupplier unwanted) {
        SnapshotId id = snapshot.id();
        verified.remove(id);
        damage.noted(manifest(id), () -> manifests.verify(source(snapshot), manifest(id), unwanted));
        verified.add(id);
    }

    boolean isDamaged(SnapshotId id) {
        return damage.isOf(manifest(id));
    }

    /** Removes those of snapshots that are gone; what cannot be removed is tried again the next time. */
    synchronized void removeUnused() {
        Set<String> inPool = pool.trees().stream().filter(tree -> tree.startsWith(PREFIX)).collect(Collectors.toSet());
        Set<String> present = landing.names();
        present.addAll(inPool);
        present.addAll(described());
        if (present.isEmpty()) {
            return;
        }
        ledger.ids().forEach(id -> present.remove(tree(id)));
        held.forEach(id -> present.remove(tree(id)));
        for (String tree : present) {
            try {
                landing.remove(tree);
                if (inPool.contains(tree)) {
                    pool.remove(tree);
                }
                Files.deleteIfExists(directory.resolve(tree));
                damage.forget(directory.resolve(tree));
                SnapshotId gone = new SnapshotId(tree.substring(PREFIX.length()));
                brought.remove(gone);
                passing.remove(gone);
                verified.remove(gone);
            } catch (IOException | RuntimeException problem) {
                LOG.warn("{} could not be removed; it is tried again", tree, problem);
            }
        }
    }

    /** A daemon may have died when the image was gone and its manifest not. */
    private Set<String> described() {
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, PREFIX + "*")) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (SnapshotId.isId(name.substring(PREFIX.length()))) { // else it is being written
                    names.add(name);
                }
            }
            return names;
        } catch (IOException problem) {
            throw StorageFailure.of("The manifests cannot be listed", problem);
        }
    }

    private ManifestSource source(SnapshotRecord snapshot) {
        SnapshotRecord.Memory memory = snapshot.memory().orElseThrow();
        return new ManifestSource(Map.of("memory", path(snapshot.id())), Facts.ofMemory(memory.traits(), memory.agent(), snapshot.image()));
    }

    Path manifest(SnapshotId id) {
        return directory.resolve(tree(id));
    }

    private static String tree(SnapshotId id) {
        return PREFIX + id.text();
    }
}
