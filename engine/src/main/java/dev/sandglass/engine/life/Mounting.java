package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.FileRequest;
import dev.sandglass.engine.guest.GuestFile;
import dev.sandglass.engine.pool.Pool;
import dev.sandglass.engine.runtime.MachineVolume;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.VolumeMode;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Brings volumes into sandboxes whose agent answers, and takes them out again. Writes no ledger; every step can be done twice. */
record Mounting(Pool pool, Identities identities) {
    private static final Duration AT_MOST = Duration.ofSeconds(30);
    /** What an agent says of a path where nothing can be mounted. */
    private static final Set<ErrorCode> OF_THE_PATH = Set.of(ErrorCode.FILE_REFUSED, ErrorCode.PATH_NOT_FOUND, ErrorCode.PERMISSION_DENIED);

    private static final int WITH_PARENTS = 1;
    private static final int DIRECTORY_MODE = 0755;

    /** Those with which a sandbox begins, as its runtime mounts them. */
    List<MachineVolume> machine(List<VolumeUse> uses) {
        return uses.stream().map(this::machine).toList();
    }

    private MachineVolume machine(VolumeUse use) {
        return new MachineVolume(use.slot(), pool.path(use.volume().tree()), use.path(), use.mode() == VolumeMode.RO);
    }

    /**
     * Gives a sandbox those of its record.
     *
     * @param stale those that its processes still have, because they had them when they were captured
     */
    void mount(LiveSandbox sandbox, List<VolumeUse> stale) {
        if (sandbox.runtime().bindsInside()) {
            stale.forEach(use -> ask(sandbox, FileRequest.Operation.UNBIND, use));
        }
        sandbox.record().volumes().forEach(use -> attach(sandbox, use));
    }

    void attach(LiveSandbox sandbox, VolumeUse use) {
        Runtime runtime = sandbox.runtime();
        identities.makePlaces(sandbox.id());
        if (!runtime.bindsInside()) {
            makeDirectory(sandbox, use);
        }
        runtime.attach(sandbox.id(), process(sandbox), machine(use));
        if (runtime.bindsInside()) {
            ask(sandbox, FileRequest.Operation.BIND, use);
        }
    }

    /** {@code conflict} if processes use it. */
    void detach(LiveSandbox sandbox, VolumeUse use) {
        if (sandbox.runtime().bindsInside()) {
            ask(sandbox, FileRequest.Operation.UNBIND, use);
        }
        try {
            sandbox.runtime().detach(sandbox.id(), process(sandbox), machine(use));
        } catch (SandglassException refused) {
            throw refused.code() == ErrorCode.CONFLICT ? used(sandbox, use, refused) : refused;
        }
    }

    private static MachineProcess process(LiveSandbox sandbox) {
        if (sandbox.record().state() instanceof SandboxState.Running(MachineProcess process)) {
            return process;
        }
        throw Views.notRunning(sandbox.record());
    }

    private static void makeDirectory(LiveSandbox sandbox, VolumeUse use) {
        ask(sandbox, new FileRequest(FileRequest.Operation.MKDIR, use.path()).flags(WITH_PARENTS).mode(DIRECTORY_MODE), use);
    }

    private static void ask(LiveSandbox sandbox, FileRequest.Operation operation, VolumeUse use) {
        ask(sandbox, new FileRequest(operation, use.path()).secondPath(Integer.toString(use.slot())), use);
    }

    private static void ask(LiveSandbox sandbox, FileRequest request, VolumeUse use) {
        try (GuestFile file = sandbox.link().ask(request).within(AT_MOST)) {
            file.finish();
        } catch (IOException problem) {
            throw new SandglassException(
                    ErrorCode.GUEST_PROTOCOL, "The agent of " + sandbox.name() + " does not mount volumes: " + problem.getMessage(), "Try again.", problem);
        } catch (SandglassException refused) {
            throw OF_THE_PATH.contains(refused.code()) ? explained(sandbox, use, refused) : refused;
        }
    }

    private static SandglassException explained(LiveSandbox sandbox, VolumeUse use, SandglassException refused) {
        boolean isOld = refused.what().contains("unknown operation");
        if (!isOld && refused.what().contains("busy")) {
            return used(sandbox, use, refused);
        }
        return new SandglassException(
                ErrorCode.CONFLICT,
                isOld
                        ? "The processes of " + sandbox.name() + " are of an earlier version, which knew no volumes."
                        : "The volume " + use.name() + " cannot be mounted at " + use.path() + " of " + sandbox.name() + ": " + refused.what(),
                isOld
                        ? "Stop and start it, or begin with the disk of the snapshot only (disk_only)."
                        : "Take another path, where a directory is or can be made.",
                refused);
    }

    private static SandglassException used(LiveSandbox sandbox, VolumeUse use, SandglassException refused) {
        return new SandglassException(
                ErrorCode.CONFLICT,
                "Processes of " + sandbox.name() + " use the volume " + use.name() + " at " + use.path() + ".",
                "End those that have files open there or work there, or stop the sandbox first.",
                refused);
    }
}
