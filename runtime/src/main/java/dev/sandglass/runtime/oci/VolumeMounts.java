package dev.sandglass.runtime.oci;

import dev.sandglass.engine.runtime.MachineVolume;
import dev.sandglass.linux.MountFlag;
import dev.sandglass.linux.MountTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How volumes come into a sandbox that runs, and out of it. They are mounted in its namespaces only, so they go with it. Thread-safe. */
public interface VolumeMounts {
    /** Whether the agent has to bind them to their places. */
    boolean bindsInside();

    /** @param sandbox which runs, and does not have it */
    void attach(RunningSandbox sandbox, MachineVolume volume) throws IOException;

    /** @param sandbox which runs; fine if it does not have it */
    void detach(RunningSandbox sandbox, MachineVolume volume) throws IOException;

    /** Whether the sandbox has it. */
    boolean isAttached(RunningSandbox sandbox, MachineVolume volume) throws IOException;

    /** What the host forbids on it. */
    static Set<MountFlag> flags(MachineVolume volume) {
        Set<MountFlag> flags = EnumSet.of(MountFlag.NO_SETUID, MountFlag.NO_DEVICES);
        if (volume.readOnly()) {
            flags.add(MountFlag.READ_ONLY);
        }
        return flags;
    }

    /** The mount of a volume among those of a process: what is seen there is its tree. */
    static Optional<MountTable.Entry> find(List<MountTable.Entry> mounts, MachineVolume volume) {
        Path tree = volume.tree().getFileName();
        return mounts.stream().filter(mount -> Path.of(mount.root()).endsWith(tree)).findFirst();
    }
}
