package dev.sandglass.runtime.oci;

import dev.sandglass.engine.runtime.GuestSettings;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.CgroupLimits;
import dev.sandglass.wire.RuntimeStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** What differs between ways to isolate a sandbox with an OCI engine. Thread-safe. */
public interface Isolation {
    /** The runtime's name. */
    String name();

    /** Found out anew at each call. */
    RuntimeStatus findStatus();

    /** Mounts the root filesystem, with whatever it needs for that below the directory's mounts. */
    void mountRoot(Machine machine, SandboxDirectory directory) throws IOException;

    /** Mounts what an image needs besides the root filesystem, below the directory's mounts. */
    default void mountImage(Machine machine, SandboxDirectory directory, Cgroup group, Path image) throws IOException {}

    /** @param image from which the sandbox goes on, if it does not begin anew */
    Spec spec(Machine machine, SandboxDirectory directory, Cgroup group, Optional<Path> image) throws IOException;

    /**
     * The engine's command that starts the sandbox, writes the pid of its process to the pid file, and returns.
     *
     * @param image from which the sandbox goes on, if it does not begin anew
     */
    List<String> startCommand(Machine machine, SandboxDirectory directory, Optional<Path> image) throws IOException;

    /** How it stops sandboxes and captures their memory. */
    Capture capture();

    /** Whether the engine copies itself into memory at each start, unless it runs from such a copy. */
    default boolean copiesItself() {
        return false;
    }

    /** How it gives volumes to sandboxes that run. */
    VolumeMounts volumes();

    /** Called when the engine's command has returned and the sandbox runs. */
    default void started(Machine machine) {}

    /**
     * Gives a sandbox that runs another host name, where its agent may not.
     *
     * @param isSame whether the pid still is the sandbox's process
     */
    default void name(long pid, String hostname, BooleanSupplier isSame) throws IOException {}

    /**
     * Which files of the group the engine's process writes itself into before it starts.
     *
     * @param image from which the sandbox goes on, if it does not begin anew
     */
    List<Path> entrances(Cgroup group, Optional<Path> image);

    /** By how much its timers may be late, so that many of them go off together; none for what every process has. */
    default Duration lateTimers() {
        return Duration.ZERO;
    }

    /**
     * In force while the engine starts it: engines have threads of their own.
     *
     * @param image from which the sandbox goes on, if it does not begin anew
     */
    CgroupLimits launchLimits(Limits limits, Optional<Path> image) throws IOException;

    /** In force from then on. */
    CgroupLimits serviceLimits(Limits limits);

    /** Whether the host sees the processes of the sandbox as they are. */
    boolean seesProcesses();

    /** How much of the memory limit can be in use with nothing ended for it. */
    default long usableMemory(Limits limits) {
        return limits.memoryBytes();
    }

    GuestSettings guestSettings(Security security, Set<Capability> capabilities, Limits limits);

    /** The capabilities that commands can have. */
    Set<Capability> capabilities();
}
