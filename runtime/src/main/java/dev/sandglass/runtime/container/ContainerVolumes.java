package dev.sandglass.runtime.container;

import dev.sandglass.engine.runtime.MachineVolume;
import dev.sandglass.linux.MountTable;
import dev.sandglass.linux.ProcessMounts;
import dev.sandglass.runtime.oci.RunningSandbox;
import dev.sandglass.runtime.oci.VolumeMounts;
import java.io.IOException;
import java.util.Optional;

/**
 * Volumes of containers are mounted right at their places, with ids shifted as those of the root filesystem are. Nothing inside may mount, so what the mount
 * forbids stays forbidden.
 */
record ContainerVolumes(MappedRoot roots) implements VolumeMounts {
    @Override
    public boolean bindsInside() {
        return false;
    }

    @Override
    public boolean isAttached(RunningSandbox sandbox, MachineVolume volume) throws IOException {
        return mount(sandbox, volume).isPresent();
    }

    @Override
    public void attach(RunningSandbox sandbox, MachineVolume volume) throws IOException {
        new ProcessMounts(sandbox.pid(), sandbox.isSame())
                .attach(volume.tree(), volume.path(), VolumeMounts.flags(volume), Optional.of(roots.ids()), true);
    }

    @Override
    public void detach(RunningSandbox sandbox, MachineVolume volume) throws IOException {
        Optional<MountTable.Entry> mount = mount(sandbox, volume);
        if (mount.isPresent()) {
            new ProcessMounts(sandbox.pid(), sandbox.isSame()).detach(mount.get(), false);
        }
    }

    private static Optional<MountTable.Entry> mount(RunningSandbox sandbox, MachineVolume volume) throws IOException {
        return VolumeMounts.find(MountTable.of(sandbox.pid()), volume);
    }
}
