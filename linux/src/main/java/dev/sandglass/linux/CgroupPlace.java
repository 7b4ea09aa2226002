package dev.sandglass.linux;

import java.nio.file.Path;
import java.util.Set;

/**
 * A control group's directory in one hierarchy.
 *
 * @param mount where the hierarchy is mounted
 * @param unified whether the hierarchy is of version 2
 */
public record CgroupPlace(Path mount, Path directory, boolean unified, Set<String> controllers) {
    /**
     * The file to which a single-threaded process writes 0 to enter the group. With version 1 it is {@code tasks}: moving one
     * thread needs no grace period of the whole kernel.
     */
    public Path entrance() {
        return directory.resolve(unified ? "cgroup.procs" : "tasks");
    }
}
