package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * One mounted tree of control groups: one of several with version 1, the only one with version 2.
 *
 * @param controllers what it can limit or count
 */
record CgroupHierarchy(Path mount, boolean unified, Set<String> controllers) {
    private static final Set<String> MOUNT_OPTIONS = Set.of("rw", "ro", "xattr", "clone_children", "noprefix");

    /** The hierarchy that a line of mountinfo stands for, if it does and its root is the host's. */
    static Optional<CgroupHierarchy> of(String line) throws IOException {
        int separator = line.indexOf(" - ");
        String[] place = line.substring(0, separator).split(" ");
        String[] filesystem = line.substring(separator + 3).split(" ");
        Path mount = Path.of(MountTable.unescape(place[4]));
        return switch (filesystem[0]) {
            case "cgroup" -> {
                Set<String> controllers = new LinkedHashSet<>(Arrays.asList(filesystem[2].split(",")));
                controllers.removeAll(MOUNT_OPTIONS);
                yield Optional.of(new CgroupHierarchy(mount, false, controllers));
            }
            case "cgroup2" -> Optional.of(new CgroupHierarchy(mount, true, words(mount.resolve("cgroup.controllers"))));
            default -> Optional.empty();
        };
    }

    /** Makes a group, and its parent with what the group needs from it. */
    void make(String parent, String name) throws IOException {
        Path above = mount.resolve(parent);
        if (!Files.isDirectory(above.resolve(name))) {
            prepare(above);
            Files.createDirectories(above.resolve(name));
        }
    }

    private void prepare(Path parent) throws IOException {
        Files.createDirectories(parent);
        if (unified) {
            delegate(mount);
            delegate(parent);
        } else if (controllers.contains("cpuset")) {
            // Without processors and memory nodes a group takes no process; children copy their parent's.
            for (String file : new String[] {"cpuset.cpus", "cpuset.mems"}) {
                Files.writeString(parent.resolve(file), Files.readString(mount.resolve(file)));
            }
            Files.writeString(parent.resolve("cgroup.clone_children"), "1");
        }
    }

    private void delegate(Path group) throws IOException {
        Set<String> wanted = new LinkedHashSet<>(Cgroups.NEEDED);
        wanted.removeAll(words(group.resolve("cgroup.subtree_control")));
        for (String controller : wanted) {
            Files.writeString(group.resolve("cgroup.subtree_control"), "+" + controller);
        }
    }

    private static Set<String> words(Path file) throws IOException {
        return new LinkedHashSet<>(Arrays.asList(Files.readString(file).strip().split(" ")));
    }
}
