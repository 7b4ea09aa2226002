package dev.sandglass.pool;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Copies a tree with {@code cp}: owners, modes, times, links, holes, attributes and special files come along. */
final class TreeCopy {
    private TreeCopy() {}

    /** Copies to a path that does not exist yet; {@code reflink} is always or never. */
    static void run(Path source, Path target, String reflink) throws IOException {
        Program.run(List.of(
                "cp",
                "--archive",
                "--one-file-system",
                "--sparse=auto",
                "--reflink=" + reflink,
                "--no-target-directory",
                "--",
                source.toString(),
                target.toString()));
    }
}
