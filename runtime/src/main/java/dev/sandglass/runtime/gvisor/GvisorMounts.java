package dev.sandglass.runtime.gvisor;

import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.runtime.oci.SandboxDirectory;
import dev.sandglass.runtime.oci.Spec;
import dev.sandglass.runtime.oci.SpecMounts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The mounts of a gVisor sandbox. Their order is part of every full snapshot. {@code /tmp}, {@code /run} and {@code /dev/shm} are in
 * gVisor's own memory, where a file that is deleted and still open survives a checkpoint.
 */
final class GvisorMounts {
    /** The targets in order; whether sudo is covered is a matter of each sandbox, and stands in its image. */
    static final List<String> TARGETS = List.of(
            "/proc", "/dev", "/dev/pts", "/dev/shm", "/dev/mqueue", "/sys", "/tmp", "/run", "/run/sandglass", SpecMounts.AGENT);

    private GvisorMounts() {}

    /** @param image from which the sandbox goes on; it needs what was mounted when it was made */
    static List<Spec.Mount> of(Machine machine, SandboxDirectory directory, Optional<Path> image) throws IOException {
        long memory = machine.limits().memoryBytes();
        List<Spec.Mount> mounts = new ArrayList<>();
        mounts.add(SpecMounts.proc());
        mounts.addAll(SpecMounts.devices(memory));
        mounts.add(SpecMounts.sys());
        mounts.add(SpecMounts.memory("/tmp", "1777", memory / 2));
        mounts.add(SpecMounts.memory("/run", "755", memory / 4));
        mounts.addAll(
                image.isEmpty()
                        ? SpecMounts.identity(machine)
                        : SpecMounts.identity(machine, GvisorVolumes.prepare(machine, directory)));
        boolean coversSudo = image.isPresent()
                ? new GvisorImage(image.get()).hasMount(SudoProgram.PATH)
                : machine.security() == Security.STANDARD && SudoProgram.isIn(directory.root());
        if (coversSudo) {
            mounts.add(SpecMounts.readOnly(machine.agent(), SudoProgram.PATH));
        }
        return mounts;
    }
}
