package dev.sandglass.pool;

import java.io.IOException;
import java.nio.file.Path;

/** A pool for any filesystem: a copy of a tree is a full one. */
final class CopyPool extends DirectoryPool {
    CopyPool(Path directory, FreeSpace space, String note) {
        super(directory, PoolKind.COPY, space, note);
    }

    @Override
    void copyTree(Path source, Path target) throws IOException {
        TreeCopy.run(source, target, "never");
    }
}
