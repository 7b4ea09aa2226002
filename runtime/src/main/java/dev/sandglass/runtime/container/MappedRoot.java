package dev.sandglass.runtime.container;

import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.linux.FileIdentity;
import dev.sandglass.linux.IdRange;
import dev.sandglass.linux.MountFlag;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.Overlay;
import dev.sandglass.linux.UserNamespace;
import dev.sandglass.runtime.oci.SandboxDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Root filesystems whose ids on disk are those that the sandbox sees. Every layer is mounted with its ids shifted, and the
 * overlay is made by a user of the shifted range, else it comes up read-only. Thread-safe.
 */
final class MappedRoot {
    private @Nullable UserNamespace ids;

    void mount(Machine machine, SandboxDirectory directory, Set<MountFlag> flags) throws IOException {
        UserNamespace mapping = ids();
        List<Path> lower = new ArrayList<>();
        for (Path layer : machine.layers()) {
            lower.add(bind(layer, directory, Integer.toString(lower.size()), mapping));
        }
        Path writable = bind(machine.writable(), directory, "writable", mapping);
        Overlay overlay = new Overlay(lower, writable.resolve("upper"), writable.resolve("work"));
        FileIdentity.as(IdRange.SANDBOXES.first(), () -> overlay.mount(directory.root(), flags));
    }

    /** Finds out whether user namespaces can be made here. */
    void check() throws IOException {
        ids();
    }

    private static Path bind(Path source, SandboxDirectory directory, String name, UserNamespace mapping)
            throws IOException {
        Path target = Files.createDirectory(directory.mounts().resolve(name));
        Mounts.bindMapped(source, target, mapping);
        return target;
    }

    /** What shifts ids into the sandbox's range. */
    synchronized UserNamespace ids() throws IOException {
        if (ids == null) {
            ids = UserNamespace.mapping(IdRange.SANDBOXES);
        }
        return ids;
    }
}
