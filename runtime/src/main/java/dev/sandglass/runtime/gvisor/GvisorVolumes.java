package dev.sandglass.runtime.gvisor;

import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.runtime.MachineVolume;
import dev.sandglass.linux.MountFlag;
import dev.sandglass.linux.MountTable;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.ProcessMounts;
import dev.sandglass.runtime.oci.RunningSandbox;
import dev.sandglass.runtime.oci.SandboxDirectory;
import dev.sandglass.runtime.oci.VolumeMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * Volumes of gVisor are mounted below the identity, which every sandbox has from the start, in the namespace of the process that opens files for its kernel
 * (docs/decisions/0017). An image has the places, not what is mounted there: so other volumes can be there when its processes go on, if they are before.
 */
final class GvisorVolumes implements VolumeMounts {
    private static final String PLACES = "volumes";
    private static final Path IDENTITY = Path.of("sandglass");

    /**
     * Mounts the identity with the volumes that are there from the start; returns where. Below the directory's mounts. Captured processes may have a place mounted
     * for writing at which there is nothing now, so the host forbids to write to the identity itself.
     */
    static Path prepare(Machine machine, SandboxDirectory directory) throws IOException {
        Path identity = Files.createDirectory(directory.mounts().resolve("identity"));
        Mounts.bind(machine.identity(), identity, EnumSet.of(MountFlag.READ_ONLY, MountFlag.NO_SETUID, MountFlag.NO_DEVICES));
        for (MachineVolume volume : machine.volumes()) {
            Mounts.bind(volume.tree(), identity.resolve(PLACES).resolve(Integer.toString(volume.slot())), VolumeMounts.flags(volume));
        }
        return identity;
    }

    @Override
    public boolean bindsInside() {
        return true;
    }

    @Override
    public boolean isAttached(RunningSandbox sandbox, MachineVolume volume) throws IOException {
        return VolumeMounts.find(MountTable.of(opener(sandbox).pid), volume).isPresent();
    }

    @Override
    public void attach(RunningSandbox sandbox, MachineVolume volume) throws IOException {
        Opener opener = opener(sandbox);
        String place = Path.of(opener.identity, PLACES, Integer.toString(volume.slot())).toString();
        new ProcessMounts(opener.pid, sandbox.isSame()).attach(volume.tree(), place, VolumeMounts.flags(volume), Optional.empty(), false);
    }

    /** The agent has unbound it, so nobody uses it but a cache of files, which goes with time. */
    @Override
    public void detach(RunningSandbox sandbox, MachineVolume volume) throws IOException {
        Opener opener = opener(sandbox);
        Optional<MountTable.Entry> mount = VolumeMounts.find(MountTable.of(opener.pid), volume);
        if (mount.isPresent()) {
            new ProcessMounts(opener.pid, sandbox.isSame()).detach(mount.get(), true);
        }
    }

    /**
     * The process that opens files.
     *
     * @param identity where it has the identity
     */
    private record Opener(long pid, String identity) {}

    /** All processes in the sandbox's control group are runsc's own, and this one alone has the identity mounted. */
    private static Opener opener(RunningSandbox sandbox) throws IOException {
        Path wanted = Path.of(sandbox.id().text());
        for (long pid : sandbox.processes()) {
            for (MountTable.Entry mount : mounts(pid)) {
                if (Path.of(mount.target()).endsWith(IDENTITY) && Path.of(mount.root()).endsWith(wanted)) {
                    return new Opener(pid, mount.target());
                }
            }
        }
        throw new IOException("no process of runsc has the identity of " + sandbox.id());
    }

    private static List<MountTable.Entry> mounts(long pid) {
        try {
            return MountTable.of(pid);
        } catch (IOException ended) {
            return List.of();
        }
    }
}
