package dev.sandglass.pool;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.pool.TreeName;
import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.BtrfsQuota;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.PoolStatus;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A pool whose trees are subvolumes of one btrfs. */
final class BtrfsPool implements Pool {
    /** A subvolume's root directory always has this inode number. */
    private static final long ROOT_INODE = 256;
    /** Below this share of free space the kernel is asked to free destroyed trees at once. */
    private static final double SCARCE = 0.15;

    private final Path directory;
    private final PoolKind kind;
    private final FreeSpace space;
    private final @Nullable BtrfsQuota quota;

    BtrfsPool(Path directory, PoolKind kind, FreeSpace space, @Nullable BtrfsQuota quota) {
        this.directory = directory;
        this.kind = kind;
        this.space = space;
        this.quota = quota;
    }

    @Override
    public PoolStatus status() {
        String note = canLimit()
                ? null
                : "Disk limits do not hold: quotas are off on this btrfs. `btrfs quota enable --simple " + directory
                        + "` turns them on.";
        return new PoolStatus(kind.text(), space.bytes(), note);
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
                quota.limit(Btrfs.id(path), bytes);
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
        Path path = path(tree);
        try {
            if (isSubvolume(path)) {
                new SubvolumeRemoval(directory, quota).remove(tree);
            } else {
                TreeDirectory.remove(path);
            }
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

    private static boolean isSubvolume(Path path) throws IOException {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)
                && (long) Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS) == ROOT_INODE;
    }
}
