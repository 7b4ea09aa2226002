package dev.sandglass.pool;

import java.io.IOException;
import java.nio.file.Path;

/** A pool for filesystems like xfs: the files of a copied tree share their data until they are written to. */
final class ReflinkPool extends DirectoryPool {
    ReflinkPool(Path directory, FreeSpace space, String note) {
        super(directory, PoolKind.REFLINK, space, note);
    }

    @Override
    void copyTree(Path source, Path target) throws IOException {
        TreeCopy.run(source, target, "always");
    }
}
