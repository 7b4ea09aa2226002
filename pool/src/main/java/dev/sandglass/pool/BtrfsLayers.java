package dev.sandglass.pool;

import dev.sandglass.engine.pool.LayerBytes;
import dev.sandglass.engine.pool.Layers;
import dev.sandglass.engine.pool.TreeName;
import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.OwnThread;
import dev.sandglass.linux.Subvolume;
import dev.sandglass.linux.SubvolumeChanges;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Layers that are read-only snapshots of subvolumes. The filesystem makes one whole or not at all, so they need no hidden names. */
final class BtrfsLayers implements Layers {
    /** A round of writing out that takes no longer leaves nothing to gain. */
    private static final Duration QUICK = Duration.ofMillis(25);

    private static final int ROUNDS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Path directory;
    private final @Nullable OrphanedGroups groups;

    BtrfsLayers(Path directory, @Nullable OrphanedGroups groups) {
        this.directory = directory;
        this.groups = groups;
    }

    @Override
    public Duration settle(String tree) {
        long began = System.nanoTime();
        try {
            return OwnThread.call("settle", () -> {
                Duration last = writeOut(tree);
                for (int round = 1; round < ROUNDS && last.compareTo(QUICK) > 0 && since(began).compareTo(PATIENCE) < 0; round++) {
                    last = writeOut(tree);
                }
                return last;
            });
        } catch (IOException problem) {
            throw StorageFailure.of("What tree " + tree + " holds could not be written out", problem);
        }
    }

    @Override
    public Path snapshot(String tree, String layer) {
        Path path = path(layer);
        try {
            OwnThread.run("snapshot", () -> Btrfs.freeze(tree(tree), directory, LayerDirectory.whole(layer)));
            return path;
        } catch (IOException problem) {
            throw StorageFailure.of("Layer " + layer + " could not be made of tree " + tree, problem);
        }
    }

    @Override
    public boolean isUnchanged(String tree, String layer) {
        Path path = tree(tree);
        try {
            Subvolume made = Subvolume.of(path(layer));
            if (!made.source().equals(Subvolume.of(path).uuid()) || SubvolumeChanges.anyAfter(made.made(), path)) {
                return false;
            }
            // Only now it costs to find out what is in memory: a change that is on disk already is the common case.
            OwnThread.run("settle", () -> writeOut(tree));
            return !SubvolumeChanges.anyAfter(made.made(), path);
        } catch (IOException problem) {
            throw StorageFailure.of("Tree " + tree + " could not be compared with layer " + layer, problem);
        }
    }

    @Override
    public Path collapse(List<String> layers, String layer) {
        List<Path> uppers = LayerDirectory.uppers(directory, layers);
        return make(layer, fresh -> Collapse.run(uppers, fresh));
    }

    @Override
    public Path make(String layer, Content content) {
        Path path = path(layer);
        try {
            OwnThread.run("layer", () -> {
                if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                    throw new IOException("it exists already");
                }
                make(LayerDirectory.making(layer), path, content);
            });
            return path;
        } catch (IOException problem) {
            throw StorageFailure.of("Layer " + layer + " could not be made", problem);
        }
    }

    private void make(String making, Path path, Content content) throws IOException {
        Path fresh = directory.resolve(making);
        removal().remove(making);
        try {
            Btrfs.create(directory, making);
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
            content.write(fresh);
            Btrfs.setReadOnly(fresh, true);
            Trees.sync(directory);
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
            Trees.sync(directory);
        } catch (IOException | RuntimeException problem) {
            removal().remove(making);
            throw problem;
        }
    }

    @Override
    public Path path(String layer) {
        return directory.resolve(LayerDirectory.whole(layer));
    }

    @Override
    public LayerBytes bytes(String layer, Optional<String> earlier) {
        try {
            Path path = path(layer);
            long total = SubvolumeChanges.after(0, path).bytes();
            if (earlier.isEmpty()) {
                return new LayerBytes(total, total);
            }
            Subvolume before = Subvolume.of(path(earlier.get()));
            boolean sameTree = before.source().equals(Subvolume.of(path).source());
            return new LayerBytes(sameTree ? SubvolumeChanges.after(before.made(), path).bytes() : total, total);
        } catch (IOException problem) {
            throw StorageFailure.of("The size of layer " + layer + " could not be read", problem);
        }
    }

    @Override
    public long written(String tree, Optional<String> since) {
        Path path = tree(tree);
        try {
            if (since.isPresent()) {
                Subvolume before = Subvolume.of(path(since.get()));
                if (before.source().equals(Subvolume.of(path).uuid())) {
                    return SubvolumeChanges.after(before.made(), path).bytes();
                }
            }
            return SubvolumeChanges.after(0, path).bytes();
        } catch (IOException problem) {
            throw StorageFailure.of("What was written to tree " + tree + " could not be read", problem);
        }
    }

    @Override
    public long mostBytes(long limit) {
        return LayerDirectory.mostBytes(directory, limit, groups != null);
    }

    @Override
    public void remove(String layer) {
        try {
            removal().remove(LayerDirectory.making(layer));
            removal().remove(LayerDirectory.whole(layer));
        } catch (IOException problem) {
            throw StorageFailure.of("Layer " + layer + " could not be removed", problem);
        }
    }

    @Override
    public Set<String> names() {
        return LayerDirectory.layers(directory);
    }

    @Override
    public void sweep() {
        try {
            for (String leftover : LayerDirectory.leftovers(directory)) {
                removal().remove(leftover);
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The layers could not be cleaned up", problem);
        }
    }

    /** Whether any layer was taken from the tree. */
    boolean hasLayerOf(Path tree) throws IOException {
        UUID uuid = Subvolume.of(tree).uuid();
        for (String layer : names()) {
            Path path = path(layer);
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) && Subvolume.of(path).source().equals(uuid)) {
                return true;
            }
        }
        return false;
    }

    /** A snapshot first writes out what its source holds in memory, and nothing but that: so one is made and thrown away. */
    private Duration writeOut(String tree) throws IOException {
        String passing = LayerDirectory.passing(tree);
        removal().remove(passing);
        long began = System.nanoTime();
        Btrfs.freeze(tree(tree), directory, passing);
        Duration taken = since(began);
        removal().remove(passing);
        return taken;
    }

    private Path tree(String tree) {
        return directory.resolve(TreeName.check(tree));
    }

    private SubvolumeRemoval removal() {
        return new SubvolumeRemoval(directory, groups);
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }
}
