package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The control groups of this host: version 1, version 2, or both with the controllers spread over them. Thread-safe.
 */
public final class Cgroups {
    /** Without these no limits hold. */
    static final Set<String> NEEDED = new LinkedHashSet<>(List.of("memory", "pids", "cpu"));

    private final List<CgroupHierarchy> hierarchies;

    Cgroups(List<CgroupHierarchy> hierarchies) {
        this.hierarchies = hierarchies;
    }

    public static Cgroups detect() throws IOException {
        List<CgroupHierarchy> found = new ArrayList<>();
        Set<Set<String>> seen = new LinkedHashSet<>();
        for (String line : MountTable.lines()) {
            var hierarchy = CgroupHierarchy.of(line);
            if (hierarchy.isPresent() && seen.add(hierarchy.get().controllers())) {
                found.add(hierarchy.get());
            }
        }
        boolean hasVersion1 = found.stream().anyMatch(hierarchy -> !hierarchy.unified());
        // Beside version 1 the unified tree counts only if it has something that is needed.
        found.removeIf(hierarchy -> hasVersion1
                && hierarchy.unified()
                && hierarchy.controllers().stream().noneMatch(NEEDED::contains));
        return new Cgroups(List.copyOf(found));
    }

    /** The needed controllers that this host does not offer; nothing can be limited unless it is empty. */
    public Set<String> missing() {
        Set<String> missing = new LinkedHashSet<>(NEEDED);
        hierarchies.forEach(hierarchy -> missing.removeAll(hierarchy.controllers()));
        return missing;
    }

    /** {@code v1}, {@code v2}, or {@code hybrid} when needed controllers are in both. */
    public String version() {
        boolean unified = hierarchies.stream().anyMatch(CgroupHierarchy::unified);
        boolean legacy = hierarchies.stream().anyMatch(hierarchy -> !hierarchy.unified());
        return unified && legacy ? "hybrid" : unified ? "v2" : "v1";
    }

    /** The group of that name below a parent; neither needs to exist. */
    public Cgroup group(String parent, String name) {
        return new Cgroup(hierarchies, parent, name);
    }

    /** The names of all groups directly below a parent, in any hierarchy. */
    public Set<String> names(String parent) throws IOException {
        Set<String> names = new TreeSet<>();
        for (CgroupHierarchy hierarchy : hierarchies) {
            try (DirectoryStream<Path> groups =
                    Files.newDirectoryStream(hierarchy.mount().resolve(parent), Files::isDirectory)) {
                groups.forEach(group -> names.add(String.valueOf(group.getFileName())));
            } catch (NoSuchFileException | NotDirectoryException _) {
                // no group of ours was ever made here
            }
        }
        return names;
    }

    /** Removes a parent whose groups are all gone; leaves it where they are not. */
    public void removeIfEmpty(String parent) throws IOException {
        for (CgroupHierarchy hierarchy : hierarchies) {
            try {
                Files.deleteIfExists(hierarchy.mount().resolve(parent));
            } catch (FileSystemException _) {
                return; // a group is in it
            }
        }
    }
}
