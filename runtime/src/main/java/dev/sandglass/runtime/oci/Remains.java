package dev.sandglass.runtime.oci;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.Cgroups;
import dev.sandglass.linux.MountTable;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is on the host of sandboxes that were started, and its removal. It needs no engine: killing a group's processes ends
 * its namespaces, and what engines keep is plain files, of whichever engine it was.
 */
record Remains(RunDirectory run, Cgroups cgroups, LateUnmounts unmounts) {
    private static final Pattern ID = Pattern.compile("sbx-[a-z0-9]{12}");
    private static final Duration KILL_TIME = Duration.ofSeconds(10);

    Set<SandboxId> sandboxes() throws IOException {
        Set<SandboxId> found = new TreeSet<>();
        cgroups.names(run.cgroupParent()).forEach(name -> add(found, name));
        run.sandboxDirectories().forEach(path -> add(found, path.getFileName().toString()));
        run.engineStates().forEach(path -> add(found, path.getFileName().toString()));
        return found;
    }

    /** Takes everything down as {@link #remove} does, but for its root filesystem, which goes a moment later: for a sandbox whose tree nobody mounts again. */
    void removeForGood(SandboxId id) throws IOException {
        unmounts.hold(group(id).processes());
        remove(id);
    }

    /** Takes everything down, in an order in which nothing comes back: processes, mounts, files. */
    void remove(SandboxId id) throws IOException {
        group(id).destroy(System.nanoTime() + KILL_TIME.toNanos());
        SandboxDirectory sandbox = run.sandbox(id);
        if (Files.exists(sandbox.mounts(), LinkOption.NOFOLLOW_LINKS)) {
            unmountAll(sandbox.path());
        }
        for (Path state : run.engineStates()) {
            if (state.getFileName().toString().contains(id.text())) {
                delete(state);
            }
        }
        delete(sandbox.path());
    }

    private Cgroup group(SandboxId id) {
        return cgroups.group(run.cgroupParent(), id.text());
    }

    /** Only a start that was cut short leaves mounts. */
    private static void unmountAll(Path directory) throws IOException {
        for (List<Path> left = MountTable.under(directory); !left.isEmpty(); left = MountTable.under(directory)) {
            Mounts.detach(left.getLast());
        }
    }

    private static void delete(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            Trees.remove(path);
        } else {
            Files.deleteIfExists(path);
        }
    }

    private static void add(Set<SandboxId> found, String name) {
        Matcher matcher = ID.matcher(name);
        if (matcher.find()) {
            found.add(new SandboxId(matcher.group()));
        }
    }
}
