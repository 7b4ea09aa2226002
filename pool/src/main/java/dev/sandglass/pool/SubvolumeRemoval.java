package dev.sandglass.pool;

import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.BtrfsQuota;
import dev.sandglass.linux.ErrnoException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Removes a subvolume with all that are nested in it, innermost first, and groups that nothing needs any more. */
final class SubvolumeRemoval {
    private static final int ENOTEMPTY = 39;
    private static final int DEPTH_LIMIT = 1_000;
    private static final int COUNT_LIMIT = 1_000_000;

    private final Path directory;
    private final @Nullable BtrfsQuota quota;
    private int removed;

    SubvolumeRemoval(Path directory, @Nullable BtrfsQuota quota) {
        this.directory = directory;
        this.quota = quota;
    }

    void remove(String tree) throws IOException {
        Path path = directory.resolve(tree);
        long id = Btrfs.id(path);
        try {
            Btrfs.destroy(directory, tree);
        } catch (ErrnoException problem) {
            if (problem.errno() != ENOTEMPTY) {
                throw problem;
            }
            // In a sealed subvolume nothing can be removed, nested ones neither.
            Btrfs.setReadOnly(path, false);
            removeNested(id, 0);
            Btrfs.destroy(directory, tree);
        }
        if (quota != null) {
            quota.removeGroup(id);
        }
    }

    private void removeNested(long id, int depth) throws IOException {
        for (List<Long> nested = Btrfs.nested(directory, id); !nested.isEmpty(); nested = Btrfs.nested(directory, id)) {
            for (long child : nested) {
                if (depth > DEPTH_LIMIT || ++removed > COUNT_LIMIT) {
                    throw new IOException("more than " + removed + " nested subvolumes, " + depth + " deep");
                }
                removeNested(child, depth + 1);
                Btrfs.destroy(directory, child);
            }
        }
    }

    /** Removes groups of subvolumes that are gone: kernels before 6.11 keep them, and they would pile up. */
    static void sweepGroups(Path directory, BtrfsQuota quota) throws IOException {
        for (long id : quota.groups()) {
            if (id >= 256 && !Btrfs.exists(directory, id)) {
                quota.removeGroup(id);
            }
        }
    }
}
