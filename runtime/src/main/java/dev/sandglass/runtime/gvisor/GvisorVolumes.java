package dev.sandglass.runtime.gvisor;

import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.runtime.MachineVolume;
import dev.sandglass.linux.ErrnoException;
import dev.sandglass.linux.MountFlag;
import dev.sandglass.linux.MountTable;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.ProcessMounts;
import dev.sandglass.runtime.oci.RunDirectory;
import dev.sandglass.runtime.oci.RunningSandbox;
import dev.sandglass.runtime.oci.SandboxDirectory;
import dev.sandglass.runtime.oci.VolumeMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Volumes of gVisor are mounted below the identity, which every sandbox has from the start, in the namespace of the process that opens files for its kernel
 * (docs/decisions/0017). An image has the places, not what is mounted there: so other volumes can be there when its processes go on, if they are before.
 */
final class GvisorVolumes implements VolumeMounts {
    private static final Set<MountFlag> FORBIDDEN = Set.copyOf(EnumSet.of(MountFlag.READ_ONLY, MountFlag.NO_SETUID, MountFlag.NO_DEVICES));
    private static final String PLACES = "volumes";
    private static final Path IDENTITY = Path.of("sandglass");

    private final RunDirectory run;

    GvisorVolumes(RunDirectory run) {
        this.run = run;
    }

    /**
     * Mounts the identity with the volumes that are there from the start; returns where. Below the directory's mounts. Captured processes may have a place mounted
     * for writing at which there is nothing now, so the host forbids to write to the identity itself.
     */
    static Path prepare(Machine machine, SandboxDirectory directory) throws IOException {
        Path identity = Files.createDirectory(directory.mounts().resolve("identity"));
        Mounts.bind(machine.identity(), identity, FORBIDDEN);
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
        return opener(sandbox).top(volume).filter(mount -> isOf(volume, mount)).isPresent();
    }

    @Override
    public void attach(RunningSandbox sandbox, MachineVolume volume) throws IOException {
        Opener opener = opener(sandbox);
        opener.mounts(sandbox).attach(volume.tree(), opener.place(volume), VolumeMounts.flags(volume), Optional.empty(), false);
    }

    /**
     * The agent has unbound it, so nobody uses it but a cache of files, which goes with time. What was there before the sandbox's namespace cannot be taken out
     * of it: it is covered, and goes with the sandbox.
     */
    @Override
    public void detach(RunningSandbox sandbox, MachineVolume volume) throws IOException {
        Opener opener = opener(sandbox);
        Optional<MountTable.Entry> mount = opener.top(volume).filter(found -> isOf(volume, found));
        if (mount.isEmpty()) {
            return;
        }
        try {
            opener.mounts(sandbox).detach(mount.get(), true);
        } catch (ErrnoException refused) {
            if (!refused.isInvalid()) {
                throw refused;
            }
            Path nothing = Files.createDirectories(run.sandbox(sandbox.id()).path().resolve("nothing"));
            opener.mounts(sandbox).attach(nothing, opener.place(volume), FORBIDDEN, Optional.empty(), false);
        }
    }

    private static boolean isOf(MachineVolume volume, MountTable.Entry mount) {
        return VolumeMounts.find(List.of(mount), volume).isPresent();
    }

    /**
     * The process that opens files.
     *
     * @param identity where it has the identity
     */
    private record Opener(long pid, String identity) {
        String place(MachineVolume volume) {
            return Path.of(identity, PLACES, Integer.toString(volume.slot())).toString();
        }

        ProcessMounts mounts(RunningSandbox sandbox) {
            return new ProcessMounts(pid, sandbox.isSame());
        }

        /** What is mounted at the place of a volume, above all else. */
        Optional<MountTable.Entry> top(MachineVolume volume) throws IOException {
            String place = place(volume);
            return MountTable.of(pid).stream().filter(mount -> mount.target().equals(place)).reduce((_, later) -> later);
        }
    }

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
