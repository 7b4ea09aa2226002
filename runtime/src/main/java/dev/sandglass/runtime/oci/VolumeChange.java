package dev.sandglass.runtime.oci;

import dev.sandglass.engine.runtime.MachineVolume;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.ErrnoException;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;

/** Gives volumes to sandboxes that run and takes them away, and says what keeps it from that. Stateless. */
final class VolumeChange {
    /** Looks for the processes of a sandbox. */
    interface Finding {
        RunningSandbox find() throws IOException;
    }

    private VolumeChange() {}

    static void attach(VolumeMounts mounts, SandboxId id, Finding finding, MachineVolume volume) {
        try {
            RunningSandbox sandbox = finding.find();
            if (!mounts.isAttached(sandbox, volume)) {
                mounts.attach(sandbox, volume);
            }
        } catch (IOException problem) {
            throw problem instanceof ErrnoException refused && refused.isInvalid()
                    ? new SandglassException(
                            ErrorCode.CONFLICT,
                            "No volume can be mounted at " + volume.path() + " of " + id + ": " + problem.getMessage(),
                            "Take a directory of its root filesystem.",
                            problem)
                    : OciRuntime.broken("A volume cannot be mounted at " + volume.path() + " of " + id + ": " + problem.getMessage(), problem);
        }
    }

    static void detach(VolumeMounts mounts, SandboxId id, Finding finding, MachineVolume volume) {
        try {
            mounts.detach(finding.find(), volume);
        } catch (IOException problem) {
            throw problem instanceof ErrnoException refused && refused.isBusy()
                    ? new SandglassException(
                            ErrorCode.CONFLICT,
                            "Processes of " + id + " use the volume at " + volume.path() + ".",
                            "End those that have files open there or work there, or stop the sandbox first.",
                            problem)
                    : OciRuntime.broken("The volume at " + volume.path() + " of " + id + " cannot be taken away: " + problem.getMessage(), problem);
        }
    }
}
