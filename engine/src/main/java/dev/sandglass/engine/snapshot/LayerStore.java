package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.manifest.ManifestSource;
import dev.sandglass.engine.manifest.ManifestSummary;
import dev.sandglass.engine.manifest.Manifests;
import dev.sandglass.engine.pool.LayerBytes;
import dev.sandglass.engine.pool.Layers;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The layers of snapshots, each with its manifest. A layer is written into the ledger before it is made, so what the ledger does not
 * name belongs to nobody and never will: a sandbox that is to stand on it is refused by the ledger itself. Thread-safe.
 */
final class LayerStore {
    private static final Logger LOG = LoggerFactory.getLogger(LayerStore.class);
    private static final String SUFFIX = ".manifest";

    private final SnapshotLedger ledger;
    private final Layers layers;
    private final Manifests manifests;
    private final Path directory;
    private final Set<String> verified = ConcurrentHashMap.newKeySet();
    /** What somebody reads, whether it is in the ledger or not, and how many do. */
    private final Map<String, Integer> held = new HashMap<>();

    /** @param directory where the manifests are */
    LayerStore(SnapshotLedger ledger, Layers layers, Manifests manifests, Path directory) {
        this.ledger = ledger;
        this.layers = layers;
        this.manifests = manifests;
        this.directory = directory;
    }

    Layers layers() {
        return layers;
    }

    /** Writes down every file of a layer; hashes of what did not change since an earlier one are taken from there. */
    void describe(String layer, Optional<String> earlier) {
        manifests.write(source(layer), manifest(layer), earlier.map(this::manifest).filter(Files::exists));
        verified.add(layer);
    }

    /** Makes a layer of what is written into it as a portable manifest says. */
    void make(String layer, Layers.Content content, Path followed) {
        layers.make(layer, content);
        manifests.adopt(source(layer), manifest(layer), followed);
        verified.add(layer);
    }

    /** Refuses a layer that is not as it was: read whole the first time since this daemon started, later by what the filesystem says. */
    void require(String layer) {
        if (verified.contains(layer)) {
            manifests.check(source(layer), manifest(layer));
        } else {
            verify(layer);
        }
    }

    /** Reads all of a layer. */
    ManifestSummary verify(String layer) {
        verified.remove(layer);
        ManifestSummary whole = manifests.verify(source(layer), manifest(layer));
        verified.add(layer);
        return whole;
    }

    LayerBytes bytes(String layer, Optional<String> earlier) {
        return layers.bytes(layer, earlier);
    }

    private ManifestSource source(String layer) {
        return new ManifestSource(Map.of("upper", layers.lower(layer)), Map.of("layer", layer));
    }

    Path manifest(String layer) {
        return directory.resolve(layer + SUFFIX);
    }

    /** Keeps layers, also such as are still to be made, until they were released as often as held. */
    synchronized void hold(List<String> names) {
        names.forEach(name -> held.merge(name, 1, Integer::sum));
    }

    void release(List<String> names) {
        synchronized (this) {
            names.forEach(name -> held.computeIfPresent(name, (_, times) -> times == 1 ? null : times - 1));
        }
        removeUnused();
    }

    /** Removes those on which nothing stands any more; what cannot be removed is tried again the next time. */
    synchronized void removeUnused() {
        Set<String> present = new HashSet<>(layers.names());
        present.addAll(described());
        present.removeAll(ledger.layersInUse());
        present.removeAll(held.keySet());
        for (String layer : present) {
            try {
                layers.remove(layer);
                Files.deleteIfExists(manifest(layer));
                verified.remove(layer);
            } catch (IOException | RuntimeException problem) {
                LOG.warn("Layer {} could not be removed; it is tried again", layer, problem);
            }
        }
    }

    private Set<String> described() {
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                names.add(name.substring(0, name.length() - SUFFIX.length()));
            }
            return names;
        } catch (IOException problem) {
            throw StorageFailure.of("The manifests cannot be listed", problem);
        }
    }
}
