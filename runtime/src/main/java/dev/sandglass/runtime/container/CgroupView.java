package dev.sandglass.runtime.container;

import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.CgroupPlace;
import dev.sandglass.runtime.oci.RunDirectory;
import dev.sandglass.runtime.oci.Spec;
import dev.sandglass.runtime.oci.SpecMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The sandbox's own control group, shown read-only inside, so that programs which size themselves by it (JVMs, Go, Node) see
 * the limits and not the host.
 */
final class CgroupView {
    private static final String TARGET = "/sys/fs/cgroup";
    private static final Set<String> SHOWN = Set.of("memory", "cpu", "cpuacct", "pids", "cpuset");

    private CgroupView() {}

    static List<Spec.Mount> mounts(Cgroup group, RunDirectory run) throws IOException {
        List<Spec.Mount> mounts = new ArrayList<>();
        for (CgroupPlace place : group.places()) {
            if (place.unified()) {
                return List.of(SpecMounts.readOnly(place.directory(), TARGET, "noexec"));
            }
            if (place.controllers().stream().anyMatch(SHOWN::contains)) {
                String name = String.valueOf(place.mount().getFileName());
                mounts.add(SpecMounts.readOnly(place.directory(), TARGET + "/" + name, "noexec"));
            }
        }
        mounts.addFirst(SpecMounts.readOnly(emptyDirectories(mounts, run), TARGET, "noexec"));
        return mounts;
    }

    /** sysfs has one empty directory for control groups; version 1 wants one per hierarchy in it. All sandboxes share them. */
    private static Path emptyDirectories(List<Spec.Mount> mounts, RunDirectory run) throws IOException {
        Path parent = run.path().resolve("cgroup");
        for (Spec.Mount mount : mounts) {
            Path place = parent.resolve(mount.destination().substring(TARGET.length() + 1));
            if (!Files.isDirectory(place)) {
                Files.createDirectories(place);
            }
        }
        return parent;
    }
}
