package dev.sandglass.pool.manifest;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.Facts;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.engine.manifest.ManifestHeader;
import dev.sandglass.engine.manifest.ManifestReader;
import dev.sandglass.engine.manifest.ManifestSource;
import dev.sandglass.engine.manifest.ManifestSummary;
import dev.sandglass.engine.manifest.ManifestWriter;
import dev.sandglass.engine.manifest.Manifests;
import dev.sandglass.linux.OwnThread;
import dev.sandglass.wire.StorageFailure;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Manifests of files on this machine. All calls share the few threads that hash, in turns. Thread-safe. */
public final class FileManifests implements Manifests, AutoCloseable {
    private static final int MOST_THREADS = 4;

    private final HashThreads threads = new HashThreads(Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MOST_THREADS));

    @Override
    public ManifestSummary write(ManifestSource source, Path file, Optional<Path> earlier, BooleanSupplier unwanted) {
        return make(file, making -> writeTo(making, source, earlier, unwanted));
    }

    @Override
    public ManifestSummary adopt(ManifestSource source, Path file, Path followed) {
        return make(file, making -> follow(making, source, followed));
    }

    private interface Writing {
        ManifestSummary to(Path making) throws IOException;
    }

    private static ManifestSummary make(Path file, Writing writing) {
        Path making = file.resolveSibling(file.getFileName() + ".new");
        try {
            return OwnThread.call("manifest", () -> {
                try {
                    Files.deleteIfExists(making);
                    ManifestSummary summary = writing.to(making);
                    publish(making, file);
                    return summary;
                } finally {
                    Files.deleteIfExists(making);
                }
            });
        } catch (IOException problem) {
            throw StorageFailure.of("The manifest " + file + " could not be written", problem);
        }
    }

    @Override
    public ManifestSummary verify(ManifestSource source, Path file, BooleanSupplier unwanted) {
        try {
            return OwnThread.call("manifest", () -> compareContent(source, file, unwanted));
        } catch (IOException problem) {
            throw StorageFailure.of("The snapshot of manifest " + file + " could not be read", problem);
        }
    }

    @Override
    public void check(ManifestSource source, Path file) {
        try {
            OwnThread.run("manifest", () -> compareFacts(source, file));
        } catch (IOException problem) {
            throw StorageFailure.of("The snapshot of manifest " + file + " could not be read", problem);
        }
    }

    /** Ends the threads; work that is under way fails. */
    @Override
    public void close() {
        threads.close();
    }

    private ManifestSummary writeTo(Path file, ManifestSource source, Optional<Path> earlier, BooleanSupplier unwanted) throws IOException {
        try (FileOutputStream output = new FileOutputStream(file.toFile());
                EarlierHashes known = earlier.isPresent() ? EarlierHashes.open(earlier.get(), source.roots()).orElse(null) : null) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
            ManifestWriter writer = new ManifestWriter(output, new ManifestHeader(source.facts(), states(source.roots())));
            try (Hashing hashing = new Hashing(threads, (entry, _) -> writer.add(entry), unwanted)) {
                Walk walk = new Walk((entry, place) -> {
                    Optional<ManifestEntry> whole = whole(entry, place.path(), known);
                    if (whole.isPresent()) {
                        hashing.pass(whole.get(), place.path());
                    } else {
                        hashing.hash(entry, place);
                    }
                });
                walk(walk, source.roots());
                hashing.finish();
            }
            if (known != null) {
                known.finish();
            }
            ManifestSummary summary = writer.finish();
            output.getFD().sync();
            return summary;
        }
    }

    private static ManifestSummary follow(Path file, ManifestSource source, Path followed) throws IOException {
        try (FileOutputStream output = new FileOutputStream(file.toFile());
                ManifestReader manifest = ManifestReader.open(followed)) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
            ManifestWriter writer = new ManifestWriter(output, new ManifestHeader(source.facts(), states(source.roots())));
            Comparison comparison = new Comparison(manifest, Comparison.Of.SIZE);
            walk(new Walk((entry, place) -> writer.add(entry.with(comparison.take(entry, place.path()).content()))), source.roots());
            comparison.finish();
            ManifestSummary summary = writer.finish();
            output.getFD().sync();
            return summary;
        }
    }

    /** The entry with its hash, where that takes no reading. */
    private static Optional<ManifestEntry> whole(ManifestEntry entry, List<Bytes> path, @Nullable EarlierHashes known)
            throws IOException {
        if (!(entry.content() instanceof EntryContent.RegularFile file)) {
            return Optional.of(entry);
        }
        return known == null
                ? Optional.empty()
                : known.of(entry, path).map(hash -> entry.with(new EntryContent.RegularFile(file.size(), hash)));
    }

    private ManifestSummary compareContent(ManifestSource source, Path file, BooleanSupplier unwanted) throws IOException {
        try (ManifestReader manifest = ManifestReader.open(file)) {
            Facts.require(source, manifest.header());
            Comparison comparison = new Comparison(manifest, Comparison.Of.CONTENT);
            try (Hashing hashing = new Hashing(threads, comparison::take, unwanted)) {
                Walk walk = new Walk((entry, place) -> {
                    if (entry.content() instanceof EntryContent.RegularFile) {
                        hashing.hash(entry, place);
                    } else {
                        hashing.pass(entry, place.path());
                    }
                });
                walk(walk, source.roots());
                hashing.finish();
            }
            comparison.finish();
            return manifest.summary().orElseThrow();
        }
    }

    /** Reads no further than to the last root that needs a look: none when all of them are sealed subvolumes. */
    private static void compareFacts(ManifestSource source, Path file) throws IOException {
        try (ManifestReader manifest = ManifestReader.open(file)) {
            Facts.require(source, manifest.header());
            Comparison comparison = new Comparison(manifest, Comparison.Of.HOST_FACTS);
            Walk walk = new Walk((entry, place) -> comparison.take(entry, place.path()));
            List<String> unsure = new ArrayList<>();
            for (Map.Entry<String, Path> root : source.roots().entrySet()) {
                if (!isSurelyUnchanged(manifest.header(), root)) {
                    unsure.add(root.getKey());
                }
            }
            for (String name : source.roots().keySet()) {
                if (unsure.isEmpty()) {
                    return;
                }
                Path root = source.roots().get(name);
                if (root != null && unsure.remove(name)) {
                    walk.root(name, root);
                } else {
                    comparison.skip(Bytes.of(name));
                }
            }
            comparison.finish();
        }
    }

    private static boolean isSurelyUnchanged(ManifestHeader header, Map.Entry<String, Path> root) throws IOException {
        Optional<LayerState> written = Optional.ofNullable(header.states().get(root.getKey())).flatMap(LayerState::parse);
        return written.isPresent() && written.equals(LayerState.of(root.getValue()));
    }

    private static Map<String, String> states(Map<String, Path> roots) throws IOException {
        Map<String, String> states = new TreeMap<>();
        for (Map.Entry<String, Path> root : roots.entrySet()) {
            LayerState.of(root.getValue()).ifPresent(state -> states.put(root.getKey(), state.text()));
        }
        return states;
    }

    private static void walk(Walk walk, Map<String, Path> roots) throws IOException {
        for (Map.Entry<String, Path> root : roots.entrySet()) {
            walk.root(root.getKey(), root.getValue());
        }
    }

    private static void publish(Path making, Path file) throws IOException {
        Files.move(making, file, StandardCopyOption.ATOMIC_MOVE);
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            try (FileChannel directory = FileChannel.open(parent, StandardOpenOption.READ)) {
                directory.force(true);
            }
        }
    }
}
