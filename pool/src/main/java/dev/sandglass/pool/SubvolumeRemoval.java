package dev.sandglass.pool;

import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.ErrnoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Removes a subvolume with all that are nested in it, innermost first. */
final class SubvolumeRemoval {
    /** A subvolume's root directory always has this inode number. */
    private static final long ROOT_INODE = 256;

    private static final int ENOTEMPTY = 39;
    private static final int DEPTH_LIMIT = 1_000;
    private static final int COUNT_LIMIT = 1_000_000;

    private final Path directory;
    private final @Nullable OrphanedGroups groups;
    private int removed;

    SubvolumeRemoval(Path directory, @Nullable OrphanedGroups groups) {
        this.directory = directory;
        this.groups = groups;
    }

    /** Removes whatever has that name in the directory, if anything has. */
    void remove(String name) throws IOException {
        Path path = directory.resolve(name);
        if (isSubvolume(path)) {
            removeSubvolume(path, name);
        } else {
            TreeDirectory.remove(path);
        }
    }

    private void removeSubvolume(Path path, String name) throws IOException {
        long id = Btrfs.id(path);
        try {
            Btrfs.destroy(directory, name);
        } catch (ErrnoException problem) {
            if (problem.errno() != ENOTEMPTY) {
                throw problem;
            }
            // In a sealed subvolume nothing can be removed, nested ones neither.
            Btrfs.setReadOnly(path, false);
            removeNested(id, 0);
            Btrfs.destroy(directory, name);
        }
        leaveGroup(id);
    }

    private void removeNested(long id, int depth) throws IOException {
        for (List<Long> nested = Btrfs.nested(directory, id); !nested.isEmpty(); nested = Btrfs.nested(directory, id)) {
            for (long child : nested) {
                if (depth > DEPTH_LIMIT || ++removed > COUNT_LIMIT) {
                    throw new IOException("more than " + removed + " nested subvolumes, " + depth + " deep");
                }
                removeNested(child, depth + 1);
                Btrfs.destroy(directory, child);
                leaveGroup(child);
            }
        }
    }

    private void leaveGroup(long id) {
        if (groups != null) {
            groups.add(id);
        }
    }

    private static boolean isSubvolume(Path path) throws IOException {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)
                && (long) Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS) == ROOT_INODE;
    }
}
