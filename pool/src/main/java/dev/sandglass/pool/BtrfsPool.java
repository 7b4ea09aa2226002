package dev.sandglass.pool;

import dev.sandglass.engine.pool.Layers;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.pool.TreeName;
import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.BtrfsQuota;
import dev.sandglass.linux.FileNumbers;
import dev.sandglass.linux.SubvolumeChanges;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.PoolStatus;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A pool whose trees are subvolumes of one btrfs. */
final class BtrfsPool implements Pool {
    /** Below this share of free space the kernel is asked to free destroyed trees at once. */
    private static final double SCARCE = 0.15;

    /** A tree that is charged less has nothing that a layer could keep. */
    private static final long NEW = 64 << 10;

    private final Path directory;
    private final PoolKind kind;
    private final FreeSpace space;
    private final @Nullable BtrfsQuota quota;
    private final @Nullable OrphanedGroups groups;
    private final BtrfsLayers layers;

    BtrfsPool(Path directory, PoolKind kind, FreeSpace space, @Nullable BtrfsQuota quota) {
        this.directory = directory;
        this.kind = kind;
        this.space = space;
        this.quota = quota;
        this.groups = quota == null ? null : new OrphanedGroups(directory, quota);
        this.layers = new BtrfsLayers(directory, groups);
    }

    /** Looks for groups that earlier daemons left. */
    BtrfsPool swept() throws IOException {
        if (groups != null) {
            groups.sweep();
        }
        return this;
    }

    @Override
    public PoolStatus status() {
        String note = canLimit()
                ? null
                : "Disk limits do not hold: quotas are off on this btrfs. `btrfs quota enable --simple " + directory
                        + "` turns them on.";
        return new PoolStatus(kind.text(), space.bytes(), space.shortage().orElse(note));
    }

    @Override
    public void requireRoom() {
        space.require();
    }

    @Override
    public Path create(String tree) {
        Path path = path(tree);
        try {
            Btrfs.create(directory, tree);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
            return path;
        } catch (IOException problem) {
            throw StorageFailure.of("Tree " + tree + " could not be made", problem);
        }
    }

    @Override
    public Path createBelowOthers(String tree) {
        Path path = create(tree);
        try {
            FileNumbers.skip(path, NUMBERS_BELOW);
            return path;
        } catch (IOException problem) {
            throw StorageFailure.of("Tree " + tree + " could not be made", problem);
        }
    }

    @Override
    public Path path(String tree) {
        return directory.resolve(TreeName.check(tree));
    }

    @Override
    public Path copy(String source, String target) {
        Path path = path(target);
        try {
            Btrfs.snapshot(path(source), directory, target);
            return path;
        } catch (IOException problem) {
            throw StorageFailure.of("Tree " + source + " could not be copied to " + target, problem);
        }
    }

    @Override
    public void seal(String tree) {
        try {
            Btrfs.setReadOnly(path(tree), true);
        } catch (IOException problem) {
            throw StorageFailure.of("Tree " + tree + " could not be sealed", problem);
        }
    }

    @Override
    public void limit(String tree, long bytes) {
        Path path = path(tree);
        if (bytes < 0) {
            throw new IllegalArgumentException("limit: " + bytes + " (expected: >= 0)");
        }
        if (quota != null) {
            try {
                quota.limit(Btrfs.id(path), bytes == 0 ? 0 : bytes + retained(quota, path, bytes));
            } catch (IOException problem) {
                throw StorageFailure.of("Tree " + tree + " could not be limited", problem);
            }
        }
    }

    @Override
    public boolean canLimit() {
        return quota != null;
    }

    @Override
    public long usedBytes(String tree) {
        Path path = path(tree);
        try {
            return quota == null ? Trees.usedBytes(path) : quota.usedBytes(Btrfs.id(path));
        } catch (IOException problem) {
            throw StorageFailure.of("The use of tree " + tree + " could not be read", problem);
        }
    }

    @Override
    public void remove(String tree) {
        try {
            new SubvolumeRemoval(directory, groups).remove(TreeName.check(tree));
            if (space.share() < SCARCE) {
                Btrfs.startCommit(directory);
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
        return layers;
    }

    /**
     * What is charged to a tree, but kept by layers of it, or will be as soon as the tree overwrites it. So a tree with
     * layers may grow beyond its limit, by as much as it had at its last snapshot; once it is there, it may write no more.
     */
    private long retained(BtrfsQuota quota, Path path, long limit) throws IOException {
        long charged = quota.usedBytes(Btrfs.id(path));
        if (charged < NEW || !layers.hasLayerOf(path)) {
            return 0;
        }
        boolean isFull = SubvolumeChanges.after(0, path).bytes() > limit;
        return isFull ? charged - limit : charged;
    }
}
