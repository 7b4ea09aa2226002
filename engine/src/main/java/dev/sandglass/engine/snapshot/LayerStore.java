package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.manifest.Facts;
import dev.sandglass.engine.manifest.ManifestSource;
import dev.sandglass.engine.manifest.ManifestSummary;
import dev.sandglass.engine.manifest.Manifests;
import dev.sandglass.engine.pool.LayerBytes;
import dev.sandglass.engine.pool.Layers;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The layers of snapshots, each with its manifest. A layer is written into the ledger before it is made, so what the ledger does not
 * name belongs to nobody and never will: a sandbox that is to stand on it is refused by the ledger itself. Thread-safe.
 */
final class LayerStore {
    private static final Logger LOG = LoggerFactory.getLogger(LayerStore.class);
    /** How the names of layers begin that go when an answer is there; all that they have is a sandbox's. */
    static final String PASSING = "frozen-";
    /** How the names of layers of images from elsewhere begin. */
    static final String OF_IMAGE = "oci-";

    private static final String SUFFIX = ".manifest";
    /** Of the manifest of the last layer that was taken of a sandbox. */
    private static final String HASHES = ".hashes";

    private final SnapshotLedger ledger;
    private final Supplier<Set<String>> ofImages;
    private final Layers layers;
    private final Manifests manifests;
    private final Path directory;
    private final Damage damage;
    private final Set<String> verified = ConcurrentHashMap.newKeySet();
    /** What somebody reads, whether it is in the ledger or not, and how many do. */
    private final Map<String, Integer> held = new HashMap<>();

    private volatile Runnable unasked = () -> {};

    /**
     * @param ofImages the layers of images from elsewhere
     * @param directory where the manifests are
     */
    LayerStore(SnapshotLedger ledger, Supplier<Set<String>> ofImages, Layers layers, Manifests manifests, Path directory, Damage damage) {
        this.ledger = ledger;
        this.ofImages = ofImages;
        this.layers = layers;
        this.manifests = manifests;
        this.directory = directory;
        this.damage = damage;
    }

    Layers layers() {
        return layers;
    }

    /**
     * Writes down every file of a layer; hashes of what did not change since an earlier one are taken from there.
     *
     * @param image on which it lies
     * @param unwanted once it is so, that ends soon with {@code conflict}
     */
    void describe(String layer, String image, Optional<String> earlier, BooleanSupplier unwanted) {
        describe(layer, image, unwanted, earlier.map(this::manifest).filter(Files::exists));
    }

    private void describe(String layer, String image, BooleanSupplier unwanted, Optional<Path> known) {
        try {
            manifests.write(source(layer, image), manifest(layer), known, unwanted);
        } catch (SandglassException problem) {
            if (known.isEmpty() || problem.code() != ErrorCode.SNAPSHOT_DAMAGED) {
                throw problem;
            }
            LOG.warn("The hashes of an earlier layer cannot be used, so all of {} is read: {}", layer, problem.getMessage());
            manifests.write(source(layer, image), manifest(layer), Optional.empty(), unwanted);
        }
        damage.forget(manifest(layer)); // a merged one may have been made anew
        verified.add(layer);
        if (!SnapshotId.isId(layer)) {
            unasked.run();
        }
    }

    /**
     * The same of a layer that was taken of a sandbox. Its hashes are kept for the next one, whether the layer stays or goes, as that of a fork does when the
     * copies are gone.
     *
     * @param earlier whose hashes are taken if there are no later ones
     */
    void describe(SandboxId sandbox, String layer, String image, Optional<String> earlier, BooleanSupplier unwanted) {
        Path last = hashes(sandbox);
        Optional<Path> known = Files.exists(last) ? Optional.of(last) : earlier.map(this::manifest).filter(Files::exists);
        describe(layer, image, unwanted, known);
        Path link = directory.resolve(layer + SUFFIX + ".new"); // what is left of it goes at the next start
        try {
            Files.createLink(link, manifest(layer));
            Files.move(link, last, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException problem) {
            LOG.warn("The hashes of {} are not kept for later: {}", layer, problem.toString());
        }
    }

    /** The sandbox is gone. */
    void forget(SandboxId sandbox) {
        try {
            Files.deleteIfExists(hashes(sandbox));
        } catch (IOException problem) {
            LOG.warn("The hashes of {} could not be removed; it is done at the next start", sandbox, problem);
        }
    }

    /** The sandboxes of which there are hashes. */
    Set<SandboxId> remembered() {
        Set<SandboxId> all = new HashSet<>();
        names(HASHES).stream().filter(SandboxId::isId).forEach(name -> all.add(new SandboxId(name)));
        return all;
    }

    private Path hashes(SandboxId sandbox) {
        return directory.resolve(sandbox.text() + HASHES);
    }

    /** Tells of every layer that is whole and for which no snapshot was asked. The watcher must be quick. */
    void watchUnasked(Runnable watcher) {
        unasked = watcher;
    }

    /** Makes a layer of what is written into it as a portable manifest says. */
    void make(String layer, String image, Layers.Content content, Path followed) {
        layers.make(layer, content);
        manifests.adopt(source(layer, image), manifest(layer), followed);
        verified.add(layer);
    }

    /** Makes a layer of what is written into it, whatever that is. */
    void make(String layer, String image, Layers.Content content) {
        layers.make(layer, content);
        describe(layer, image, Optional.empty(), () -> false);
    }

    /** Refuses a layer that is not as it was: read whole the first time since this daemon started, later by what the filesystem says. */
    void require(String layer, String image, BooleanSupplier unwanted) {
        requireUndamaged(layer);
        if (verified.contains(layer)) {
            damage.noted(manifest(layer), () -> {
                manifests.check(source(layer, image), manifest(layer));
                return true;
            });
        } else {
            verify(layer, image, unwanted);
        }
    }

    /** Refuses a layer of which it is known that it is not as it was, without a look at it. */
    void requireUndamaged(String layer) {
        damage.refuse(manifest(layer));
    }

    boolean isDamaged(String layer) {
        return damage.isOf(manifest(layer));
    }

    /** Reads all of a layer, unless nobody wants that any more. */
    ManifestSummary verify(String layer, String image, BooleanSupplier unwanted) {
        verified.remove(layer);
        ManifestSummary whole = damage.noted(manifest(layer), () -> manifests.verify(source(layer, image), manifest(layer), unwanted));
        verified.add(layer);
        return whole;
    }

    LayerBytes bytes(String layer, Optional<String> earlier) {
        return layers.bytes(layer, earlier);
    }

    /** Refuses a layer of which it would take far too long to read everything. */
    void requireReadable(LayerBytes found, long limit) {
        long most = layers.mostBytes(limit);
        if (found.total() > most) {
            throw new SandglassException(
                    ErrorCode.LIMIT_REACHED,
                    "The files that the sandbox changed have " + (found.total() >> 20) + " MiB together (expected: <= " + (most >> 20) + ").",
                    "They share blocks, as copies with --reflink do: remove copies, or raise the limit of its disk (--disk).");
        }
    }

    private ManifestSource source(String layer, String image) {
        return new ManifestSource(Map.of("upper", layers.lower(layer)), Facts.ofLayer(layer, image));
    }

    Path manifest(String layer) {
        return directory.resolve(layer + SUFFIX);
    }

    /** Keeps layers, also such as are still to be made, until they were released as often as held. */
    synchronized void hold(List<String> names) {
        names.forEach(name -> held.merge(name, 1, Integer::sum));
    }

    void release(List<String> names) {
        letGo(names);
        removeUnused();
    }

    /** As a release, by somebody who knows that others need them, or lets them be removed later. */
    synchronized void letGo(List<String> names) {
        names.forEach(name -> held.computeIfPresent(name, (_, times) -> times == 1 ? null : times - 1));
    }

    /** Removes those on which nothing stands any more; what cannot be removed is tried again the next time. */
    synchronized void removeUnused() {
        Set<String> present = new HashSet<>(layers.names());
        present.addAll(described());
        for (List<String> chain : ledger.chains()) {
            present.removeAll(chain);
            present.removeAll(Chains.mergedOf(chain));
        }
        present.removeAll(ofImages.get());
        present.removeAll(held.keySet());
        for (String layer : present) {
            try {
                layers.remove(layer);
                Files.deleteIfExists(manifest(layer));
                damage.forget(manifest(layer));
                verified.remove(layer);
            } catch (IOException | RuntimeException problem) {
                LOG.warn("Layer {} could not be removed; it is tried again", layer, problem);
            }
        }
    }

    /** Whether a layer is whole, with its manifest. */
    boolean isDescribed(String layer) {
        return Files.exists(manifest(layer));
    }

    private Set<String> described() {
        return names(SUFFIX);
    }

    private Set<String> names(String suffix) {
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + suffix)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                names.add(name.substring(0, name.length() - suffix.length()));
            }
            return names;
        } catch (IOException problem) {
            throw StorageFailure.of("The manifests cannot be listed", problem);
        }
    }
}
