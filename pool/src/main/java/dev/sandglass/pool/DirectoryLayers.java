package dev.sandglass.pool;

import dev.sandglass.engine.pool.LayerBytes;
import dev.sandglass.engine.pool.Layers;
import dev.sandglass.engine.pool.TreeName;
import dev.sandglass.linux.OwnThread;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Layers that are copies: made under a hidden name, written out, then renamed. Nothing here holds root back from changing them. */
final class DirectoryLayers implements Layers {
    /** Copies a directory to a path that does not exist yet. */
    interface Copying {
        void copy(Path source, Path target) throws IOException;
    }

    private final Path directory;
    private final Copying copying;

    DirectoryLayers(Path directory, Copying copying) {
        this.directory = directory;
        this.copying = copying;
    }

    @Override
    public Duration settle(String tree) {
        TreeName.check(tree);
        long began = System.nanoTime();
        try {
            OwnThread.run("settle", () -> Trees.sync(directory));
            return Duration.ofNanos(System.nanoTime() - began);
        } catch (IOException problem) {
            throw StorageFailure.of("What tree " + tree + " holds could not be written out", problem);
        }
    }

    @Override
    public Path snapshot(String tree, String layer) {
        Path source = directory.resolve(TreeName.check(tree)).resolve("upper");
        return make(layer, making -> copying.copy(source, making.resolve("upper")));
    }

    @Override
    public Path collapse(List<String> layers, String layer) {
        List<Path> uppers = LayerDirectory.uppers(directory, layers);
        return make(layer, making -> OwnThread.run("collapse", () -> Collapse.run(uppers, making)));
    }

    @Override
    public Path make(String layer, Content content) {
        Path path = path(layer);
        Path making = directory.resolve(LayerDirectory.making(layer));
        try {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException("it exists already");
            }
            TreeDirectory.remove(making);
            try {
                Files.createDirectory(making);
                Files.setPosixFilePermissions(making, PosixFilePermissions.fromString("rwxr-xr-x"));
                content.write(making);
                publish(making, path);
            } catch (IOException | RuntimeException problem) {
                TreeDirectory.remove(making);
                throw problem;
            }
            return path;
        } catch (IOException problem) {
            throw StorageFailure.of("Layer " + layer + " could not be made", problem);
        }
    }

    private void publish(Path making, Path path) throws IOException {
        OwnThread.run("sync", () -> Trees.sync(making));
        Files.move(making, path, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel parent = FileChannel.open(directory, StandardOpenOption.READ)) {
            parent.force(true);
        }
    }

    /** Not known: a program that writes to mapped memory changes a file without changing any of its times. */
    @Override
    public boolean isUnchanged(String tree, String layer) {
        TreeName.check(tree);
        path(layer);
        return false;
    }

    @Override
    public Path path(String layer) {
        return directory.resolve(LayerDirectory.whole(layer));
    }

    @Override
    public LayerBytes bytes(String layer, Optional<String> earlier) {
        try {
            long total = Trees.usedBytes(path(layer));
            return new LayerBytes(total, total);
        } catch (IOException problem) {
            throw StorageFailure.of("The size of layer " + layer + " could not be read", problem);
        }
    }

    @Override
    public long written(String tree, Optional<String> since) {
        try {
            return Trees.usedBytes(directory.resolve(TreeName.check(tree)));
        } catch (IOException problem) {
            throw StorageFailure.of("What was written to tree " + tree + " could not be read", problem);
        }
    }

    @Override
    public long mostBytes(long limit) {
        return LayerDirectory.mostBytes(directory, limit, false);
    }

    @Override
    public void remove(String layer) {
        Path path = path(layer);
        Path trash = directory.resolve(LayerDirectory.trash(layer));
        try {
            TreeDirectory.remove(directory.resolve(LayerDirectory.making(layer)));
            TreeDirectory.remove(trash);
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                Files.move(path, trash, StandardCopyOption.ATOMIC_MOVE);
                TreeDirectory.remove(trash);
            }
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
                TreeDirectory.remove(directory.resolve(leftover));
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The layers could not be cleaned up", problem);
        }
    }
}
