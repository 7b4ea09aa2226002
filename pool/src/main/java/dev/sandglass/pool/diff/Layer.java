package dev.sandglass.pool.diff;

import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.Subvolume;
import dev.sandglass.linux.SubvolumeChanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A layer of an overlay, and what it surely has in common with others. Not thread-safe. */
final class Layer {
    /** A subvolume's root directory always has this inode number. */
    private static final long ROOT_INODE = 256;

    private static final UUID NONE = new UUID(0, 0);

    private final Path directory;
    private final Optional<Subvolume> subvolume;
    private final Map<Layer, Optional<SubvolumeChanges>> changes = new HashMap<>();

    Layer(Path directory) throws IOException {
        this.directory = directory;
        this.subvolume = frozen(directory);
    }

    Path directory() {
        return directory;
    }

    /** The read-only subvolume in whose top directory a layer lies, where that is a copy of another. */
    private static Optional<Subvolume> frozen(Path directory) throws IOException {
        Path parent = directory.toAbsolutePath().getParent();
        boolean isTop = parent != null && Btrfs.isOn(parent) && (long) Files.getAttribute(parent, "unix:ino") == ROOT_INODE;
        if (parent == null || !isTop || !Btrfs.isReadOnly(parent)) {
            return Optional.empty();
        }
        return Optional.of(Subvolume.of(parent)).filter(found -> !found.source().equals(NONE));
    }

    /** Whether a file, neither directory nor link to one, surely is the same in both: both layers were taken of one tree, and no transaction between touched it. */
    boolean shares(long inode, Layer other) throws IOException {
        Optional<SubvolumeChanges> since = changes.get(other);
        if (since == null) {
            since = since(other);
            changes.put(other, since);
        }
        return since.isPresent() && !since.get().contains(inode);
    }

    private Optional<SubvolumeChanges> since(Layer other) throws IOException {
        if (subvolume.isEmpty() || other.subvolume.isEmpty() || !subvolume.get().source().equals(other.subvolume.get().source())) {
            return Optional.empty();
        }
        boolean isLater = subvolume.get().made() >= other.subvolume.get().made();
        Layer later = isLater ? this : other;
        Layer earlier = isLater ? other : this;
        return Optional.of(SubvolumeChanges.after(earlier.subvolume.orElseThrow().made(), later.directory));
    }
}
