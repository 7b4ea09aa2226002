package dev.sandglass.pool;

import dev.sandglass.engine.pool.Layers;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.pool.TreeName;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.PoolStatus;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A pool whose trees are plain directories; what reflink and copy share. */
abstract sealed class DirectoryPool implements Pool permits ReflinkPool, CopyPool {
    private final Path directory;
    private final PoolKind kind;
    private final FreeSpace space;
    private final String note;

    DirectoryPool(Path directory, PoolKind kind, FreeSpace space, String note) {
        this.directory = directory;
        this.kind = kind;
        this.space = space;
        this.note = note;
    }

    /** Copies a tree to a path that does not exist yet. */
    abstract void copyTree(Path source, Path target) throws IOException;

    /** Removes what a crash left half-made or half-removed. */
    void cleanUp() {
        try (var entries = Files.newDirectoryStream(directory, ".{new,trash}-*")) {
            for (Path entry : entries) {
                TreeDirectory.remove(entry);
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The pool could not be cleaned up", problem);
        }
    }

    @Override
    public PoolStatus status() {
        return new PoolStatus(kind.text(), space.bytes(), space.shortage().orElse(note));
    }

    @Override
    public void requireRoom() {
        space.require();
    }

    @Override
    public Path create(String tree) {
        return make(tree, fresh -> {
            Files.createDirectory(fresh);
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
        });
    }

    /** Here all trees count together. */
    @Override
    public Path createBelowOthers(String tree) {
        return create(tree);
    }

    @Override
    public Path path(String tree) {
        return directory.resolve(TreeName.check(tree));
    }

    @Override
    public Path copy(String source, String target) {
        Path from = path(source);
        return make(target, fresh -> {
            if (!Files.isDirectory(from, LinkOption.NOFOLLOW_LINKS)) {
                throw new NoSuchFileException(from.toString());
            }
            copyTree(from, fresh);
        });
    }

    @Override
    public void seal(String tree) {
        // Nothing here holds root back; the layers are mounted read-only all the same.
        path(tree);
    }

    @Override
    public void limit(String tree, long bytes) {
        path(tree);
        if (bytes < 0) {
            throw new IllegalArgumentException("limit: " + bytes + " (expected: >= 0)");
        }
    }

    @Override
    public boolean canLimit() {
        return false;
    }

    @Override
    public long usedBytes(String tree) {
        try {
            return Trees.usedBytes(path(tree));
        } catch (IOException problem) {
            throw StorageFailure.of("The use of tree " + tree + " could not be read", problem);
        }
    }

    @Override
    public void remove(String tree) {
        Path path = path(tree);
        Path trash = TreeDirectory.trash(directory, tree);
        try {
            TreeDirectory.remove(TreeDirectory.making(directory, tree));
            TreeDirectory.remove(trash);
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                Files.move(path, trash, StandardCopyOption.ATOMIC_MOVE);
                TreeDirectory.remove(trash);
            }
        } catch (IOException problem) {
            throw StorageFailure.of("Tree " + tree + " could not be removed", problem);
        }
    }

    @Override
    public Set<String> trees() {
        return TreeDirectory.trees(directory);
    }

    @Override
    public Layers layers() {
        return new DirectoryLayers(directory, this::copyTree);
    }

    private interface Step {
        void run(Path fresh) throws IOException;
    }

    private Path make(String tree, Step step) {
        Path path = path(tree);
        Path fresh = TreeDirectory.making(directory, tree);
        try {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException("it exists already");
            }
            TreeDirectory.remove(fresh);
            try {
                step.run(fresh);
                Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException problem) {
                TreeDirectory.remove(fresh);
                throw problem;
            }
            return path;
        } catch (IOException problem) {
            throw StorageFailure.of("Tree " + tree + " could not be made", problem);
        }
    }
}
