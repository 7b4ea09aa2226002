package dev.sandglass.pool.manifest;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.engine.manifest.ManifestEntry;
import dev.sandglass.engine.manifest.ManifestReader;
import dev.sandglass.linux.SubvolumeChanges;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hashes of an earlier manifest, for files that did not change since. A file is one of them when the earlier and the
 * present layer were taken from the same subvolume, btrfs names no later transaction that touched its inode, and path, inode,
 * size and both times are the same. Reads along with the walk, so it takes no memory. Not thread-safe.
 */
final class EarlierHashes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EarlierHashes.class);

    private final ManifestReader reader;
    private final Map<Bytes, SubvolumeChanges> changes = new HashMap<>();
    private Optional<ManifestEntry> entry = Optional.empty();
    private boolean ended;

    private EarlierHashes(ManifestReader reader) {
        this.reader = reader;
    }

    /** None if the manifest is of another version, or went with its sandbox: then every file is hashed. */
    static Optional<EarlierHashes> open(Path manifest, Map<String, Path> roots) throws IOException {
        EarlierHashes hashes;
        try {
            hashes = new EarlierHashes(ManifestReader.open(manifest));
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        } catch (SandglassException other) {
            LOG.info("No hashes are taken from {}: {}", manifest.getFileName(), other.what());
            return Optional.empty();
        }
        for (Map.Entry<String, Path> root : roots.entrySet()) {
            Optional<LayerState> earlier =
                    Optional.ofNullable(hashes.reader.header().states().get(root.getKey())).flatMap(LayerState::parse);
            Optional<LayerState> present = LayerState.of(root.getValue());
            if (earlier.isPresent() && present.isPresent() && present.get().follows(earlier.get())) {
                SubvolumeChanges since = SubvolumeChanges.after(earlier.get().made(), root.getValue());
                hashes.changes.put(Bytes.of(root.getKey()), since);
            }
        }
        return Optional.of(hashes);
    }

    /** The hash of a regular file, if it is sure. Paths come in the order of a manifest. */
    Optional<Bytes> of(ManifestEntry file, List<Bytes> path) throws IOException {
        SubvolumeChanges since = changes.get(path.getFirst());
        if (since == null || since.contains(file.host().inode()) || !advanceTo(path)) {
            return Optional.empty();
        }
        return entry.filter(earlier -> isSame(earlier, file))
                .map(earlier -> ((EntryContent.RegularFile) earlier.content()).sha256());
    }

    private static boolean isSame(ManifestEntry earlier, ManifestEntry file) {
        return earlier.content() instanceof EntryContent.RegularFile before
                && file.content() instanceof EntryContent.RegularFile now
                && before.size() == now.size()
                && earlier.host().equals(file.host())
                && earlier.modifiedSeconds() == file.modifiedSeconds()
                && earlier.modifiedNanos() == file.modifiedNanos();
    }

    /** Reads on to the path; false when it is not there. */
    private boolean advanceTo(List<Bytes> path) throws IOException {
        while (!ended) {
            int order = entry.isEmpty() ? -1 : Paths.compare(reader.path(), path);
            if (order >= 0) {
                return order == 0;
            }
            entry = reader.next();
            ended = entry.isEmpty();
        }
        return false;
    }

    /** Reads to the end, where the seal is: what was taken over counts only if all of it is whole. */
    void finish() throws IOException {
        while (!ended) {
            ended = reader.next().isEmpty();
        }
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
