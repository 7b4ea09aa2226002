package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.manifest.ManifestSource;
import dev.sandglass.engine.manifest.ManifestSummary;
import dev.sandglass.engine.manifest.Manifests;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The captured processes of full snapshots: the runtime's image of each, with its manifest. Thread-safe. */
final class MemoryStore {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryStore.class);
    private static final String PREFIX = "memory-";
    private static final String IMAGE = "image";

    private final SnapshotLedger ledger;
    private final Pool pool;
    private final Manifests manifests;
    private final Path directory;
    private final Set<SnapshotId> verified = ConcurrentHashMap.newKeySet();
    /** Those that somebody reads, one for each who does. */
    private final List<SnapshotId> held = new ArrayList<>();

    /** @param directory where the manifests are */
    MemoryStore(SnapshotLedger ledger, Pool pool, Manifests manifests, Path directory) {
        this.ledger = ledger;
        this.pool = pool;
        this.manifests = manifests;
        this.directory = directory;
    }

    /** An empty directory for a runtime's image. */
    Path make(SnapshotId id) {
        try {
            return Files.createDirectory(pool.create(tree(id)).resolve(IMAGE));
        } catch (IOException problem) {
            throw StorageFailure.of("A directory for captured memory cannot be made", problem);
        }
    }

    Path path(SnapshotId id) {
        return pool.path(tree(id)).resolve(IMAGE);
    }

    /** Writes the manifest of an image that is whole, and lets nobody change it. */
    ManifestSummary describe(SnapshotId id, Map<String, String> facts) {
        pool.seal(tree(id));
        ManifestSummary whole = manifests.write(source(id, facts), manifest(id), Optional.empty());
        verified.add(id);
        return whole;
    }

    /** Writes the manifest of an image that was made as a portable one says, and lets nobody change it. */
    void adopt(SnapshotId id, Map<String, String> facts, Path followed) {
        pool.seal(tree(id));
        manifests.adopt(source(id, facts), manifest(id), followed);
        verified.add(id);
    }

    /** Keeps an image until it is released. */
    synchronized void hold(SnapshotId id) {
        held.add(id);
    }

    void release(SnapshotId id) {
        synchronized (this) {
            held.remove(id);
        }
        removeUnused();
    }

    /** Refuses an image that is not as it was: read whole the first time since this daemon started. */
    void require(SnapshotId id, Map<String, String> facts) {
        if (verified.contains(id)) {
            manifests.check(source(id, facts), manifest(id));
        } else {
            verify(id, facts);
        }
    }

    void verify(SnapshotId id, Map<String, String> facts) {
        verified.remove(id);
        manifests.verify(source(id, facts), manifest(id));
        verified.add(id);
    }

    /** Removes those of snapshots that are gone; what cannot be removed is tried again the next time. */
    synchronized void removeUnused() {
        Set<String> present = pool.trees().stream().filter(tree -> tree.startsWith(PREFIX)).collect(Collectors.toSet());
        if (present.isEmpty()) {
            return;
        }
        ledger.ids().forEach(id -> present.remove(tree(id)));
        held.forEach(id -> present.remove(tree(id)));
        for (String tree : present) {
            try {
                pool.remove(tree);
                Files.deleteIfExists(directory.resolve(tree));
            } catch (IOException | RuntimeException problem) {
                LOG.warn("{} could not be removed; it is tried again", tree, problem);
            }
        }
    }

    private ManifestSource source(SnapshotId id, Map<String, String> facts) {
        return new ManifestSource(Map.of("memory", path(id)), facts);
    }

    Path manifest(SnapshotId id) {
        return directory.resolve(tree(id));
    }

    private static String tree(SnapshotId id) {
        return PREFIX + id.text();
    }
}
