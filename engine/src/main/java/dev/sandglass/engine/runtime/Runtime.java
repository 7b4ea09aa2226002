package dev.sandglass.engine.runtime;

import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.wire.RuntimeStatus;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How sandboxes are isolated. Thread-safe; calls for one sandbox come one at a time. */
public interface Runtime {
    /** {@code container}, {@code gvisor} or {@code microvm}. */
    String name();

    /** Whether it can run here, with which engine, or why not. Found out once, cheap afterwards. */
    RuntimeStatus status();

    /**
     * Starts PID 1 with all limits in force from its first instruction, and returns when it runs. What was made is taken
     * down again when it throws.
     */
    MachineProcess start(Machine machine);

    /** Why it cannot capture memory and processes here; empty if it can. */
    Optional<String> obstacleToMemory();

    /**
     * Whether the host's own kernel captures processes and brings them back. Then the agent must be open while it is captured, files that
     * are deleted and in use are captured too, and an image is as good as a program of root: only what was made here can be brought back.
     */
    boolean capturesOnHost();

    /** Stops every process of a sandbox in its tracks, and returns when they stand still. Fine on one that is paused. */
    void pause(SandboxId id);

    /** Lets the processes go on. Fine on one that is not paused: after a daemon died nobody knows. */
    void resume(SandboxId id);

    /**
     * Stops all that a sandbox is on the host, a kernel that stands between included: it takes no processor time then, its agent does not answer, and it cannot be captured. Returns when
     * it stands still.
     */
    void freeze(SandboxId id);

    /** Lets all go on that {@link #freeze} has stopped. Fine on what is not. */
    void thaw(SandboxId id);

    /**
     * Takes the room that the image of a sandbox will need in an empty directory, as far as that makes {@link #checkpoint} quicker: to be
     * called before the pause. Undone by removing what is in the directory.
     *
     * @return whether there is room; if not the directory is empty
     */
    boolean reserve(SandboxId id, Path image);

    /**
     * Writes memory and processes of a sandbox that is paused into a directory that is there and empty but for what was reserved, maybe on
     * tmpfs. The sandbox is still paused afterwards, and as it was; after a failure the directory is empty.
     *
     * <p>{@code snapshot_blocked} if it holds something that cannot be captured, {@code disk_full} if there is no room.
     */
    void checkpoint(SandboxId id, Path image);

    /** The least memory limit in bytes with which a sandbox can go on from an image. */
    long leastMemory(Path image);

    /**
     * Lets a sandbox go on from an image, any number of them from the same: like {@link #start} but for the processes, which are
     * those of the image. Root filesystem and mounts must be as they were when it was made; sources, limits and FIFOs are the machine's.
     * Host name and settings are the agent's affair.
     */
    MachineProcess restore(Machine machine, Path image);

    /**
     * What must be the same where an image is made and where it is restored, with names that a user understands.
     *
     * @param linked whether it is the image of a sandbox that has joined a network
     */
    Map<String, String> traits(boolean linked);

    /** Opens the byte stream to PID 1 of a sandbox that was started by this or an earlier daemon. */
    GuestChannel connect(SandboxId id);

    /** What the agent has to enforce on what it starts. */
    GuestSettings guestSettings(Security security, Set<Capability> capabilities, Limits limits);

    /** The capabilities that it can give to commands. */
    Set<Capability> capabilities();

    /** What it uses now; zeros when nothing of it is there. */
    Usage usage(SandboxId id);

    /** {@link Usage#oomKills} alone: it is asked for with every command, and each counter of a host costs the time of a system call or more. */
    long oomKills(SandboxId id);

    /** Whether {@link Usage#processes} are the sandbox's own, and not those of a kernel that stands between. */
    boolean seesProcesses();

    /** Puts other limits in force for a sandbox that runs; {@code conflict} if it uses more than they allow. */
    void limit(SandboxId id, Limits limits);

    /** Puts another host name in force where the agent may not do it itself; nothing if the process is gone. */
    void name(MachineProcess process, String hostname);

    /**
     * Whether volumes come to a place below {@code /run/sandglass} only, from which the agent binds them to where they belong. Else that must be a directory
     * already when they are attached.
     */
    boolean bindsInside();

    /** Gives a sandbox that runs a volume; fine if it has it. The identity has a directory {@code volumes/SLOT} for it. */
    void attach(SandboxId id, MachineProcess process, MachineVolume volume);

    /** Takes a volume from a sandbox that runs; fine if it has it not, {@code conflict} if its processes use it. */
    void detach(SandboxId id, MachineProcess process, MachineVolume volume);

    /** What has become of a process that {@link #start} returned, maybe to an earlier daemon. */
    Life life(MachineProcess process);

    /** Calls {@code ended} once when the process is gone, at once if it is gone already. */
    void watch(MachineProcess process, Runnable ended);

    /**
     * Kills every process of the sandbox and removes mounts, cgroups, namespaces and state. Works in every state, halfway
     * through {@link #start} and twice; returns when nothing is left, so that its tree can be started again.
     */
    void destroy(SandboxId id);

    /**
     * The same for a sandbox whose tree nobody will start again. Its root filesystem may go a moment later, which is quicker: the host writes out all that was
     * changed in the pool when an overlay goes.
     */
    void destroyForGood(SandboxId id);

    /** Every sandbox of which this runtime finds anything on this host. */
    Set<SandboxId> present();
}
