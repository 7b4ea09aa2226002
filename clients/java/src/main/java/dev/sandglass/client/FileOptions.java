package dev.sandglass.client;

import org.jspecify.annotations.Nullable;

/** How something is done to files; what is not said has its default. */
public final class FileOptions {
    @Nullable String user;
    String mode = "644";
    int depth = 1;
    boolean recursive = true;
    Progress progress = (done, total) -> {};

    FileOptions() {}

    /** For whom it is done, with whose rights. Relative paths and ~ are taken from their home. */
    public FileOptions user(String name) {
        user = name;
        return this;
    }

    /** Permission bits in octal, such as 755, of what is written. */
    public FileOptions mode(String octal) {
        mode = octal;
        return this;
    }

    /** How many levels are listed. */
    public FileOptions depth(int levels) {
        depth = levels;
        return this;
    }

    /** Whether all below a directory is watched, which is the default. */
    public FileOptions recursive(boolean all) {
        recursive = all;
        return this;
    }

    public FileOptions onProgress(Progress listener) {
        progress = listener;
        return this;
    }
}
