package dev.sandglass.runtime.gvisor;

import dev.sandglass.engine.runtime.GuestSettings;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.CgroupLimits;
import dev.sandglass.linux.CgroupPlace;
import dev.sandglass.linux.Cgroups;
import dev.sandglass.linux.MountFlag;
import dev.sandglass.linux.Overlay;
import dev.sandglass.runtime.oci.Capture;
import dev.sandglass.runtime.oci.EngineProgram;
import dev.sandglass.runtime.oci.HostFacts;
import dev.sandglass.runtime.oci.Isolation;
import dev.sandglass.runtime.oci.RunDirectory;
import dev.sandglass.runtime.oci.SandboxDirectory;
import dev.sandglass.runtime.oci.SeccompProfile;
import dev.sandglass.runtime.oci.Spec;
import dev.sandglass.runtime.oci.Specs;
import dev.sandglass.runtime.oci.VolumeMounts;
import dev.sandglass.wire.RuntimeStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Sandboxes on gVisor's own kernel. */
public final class GvisorIsolation implements Isolation {
    /**
     * Even an idle kernel of gVisor wakes every 400 microseconds to look after itself: a hundred of them would keep two processors busy.
     * A sleep inside takes that much longer at most.
     */
    private static final Duration LATE_TIMERS = Duration.ofNanos(500_000);

    public static final String NAME = "gvisor";
    private static final List<Spec.Namespace> NAMESPACES =
            Specs.namespaces("pid", "mount", "network", "ipc", "uts", "cgroup");
    private static final String REMEDY = "install a newer one (Debian has it in backports); `sandglass setup` does it";

    private final RunDirectory run;
    private final Cgroups cgroups;
    private final HostFacts host = HostFacts.read();
    private final Capture capture;
    private final VolumeMounts volumes;
    private volatile Spec.Seccomp seccomp = SeccompProfile.gvisor(List.of());

    public GvisorIsolation(RunDirectory run, Cgroups cgroups) throws IOException {
        this.run = run;
        this.cgroups = cgroups;
        this.capture = new GvisorCapture(run);
        this.volumes = new GvisorVolumes(run);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public RuntimeStatus findStatus() {
        if (!cgroups.missing().isEmpty()) {
            return unavailable("the host offers no control groups for " + String.join(", ", cgroups.missing()));
        }
        Optional<EngineProgram> program = EngineProgram.find(Runsc.PROGRAM);
        if (program.isEmpty()) {
            return unavailable("runsc is not installed: " + REMEDY);
        }
        String version = program.get().version();
        if (Runsc.date(version) < Runsc.OLDEST) {
            return unavailable("runsc " + version + " is too old (expected: " + Runsc.OLDEST + " or later): " + REMEDY);
        }
        seccomp = SeccompProfile.gvisor(Runsc.brokenCalls(version));
        return new RuntimeStatus(NAME, true, Runsc.PROGRAM, version, null);
    }

    private static RuntimeStatus unavailable(String reason) {
        return new RuntimeStatus(NAME, false, null, null, reason);
    }

    /** The same tree as a container's, unmapped: gVisor's kernel keeps ids to itself. */
    @Override
    public void mountRoot(Machine machine, SandboxDirectory directory) throws IOException {
        Path writable = machine.writable();
        Set<MountFlag> flags = EnumSet.of(MountFlag.NO_DEVICES, MountFlag.NO_SETUID);
        new Overlay(machine.layers(), writable.resolve("upper"), writable.resolve("work")).mount(directory.root(), flags);
    }

    @Override
    public Spec spec(Machine machine, SandboxDirectory directory, Cgroup group, Optional<Path> image) throws IOException {
        List<Spec.Mount> mounts = GvisorMounts.of(machine, directory, image);
        Spec.Linux linux = Specs.linux(Specs.joined(NAMESPACES, machine), null, group.path(), host, seccomp);
        List<String> more = List.of("CAP_SYS_ADMIN"); // host name and volumes; it reaches gVisor's kernel only
        List<Spec.ResourceLimit> limits = List.of(
                Specs.openFiles(host), Specs.noCoreFiles(), GvisorLimits.processesOfAUser());
        return Specs.of(machine, directory, Specs.agent(machine, more, limits), mounts, linux);
    }

    @Override
    public List<String> startCommand(Machine machine, SandboxDirectory directory, Optional<Path> image) {
        return Runsc.startCommand(run.state(Runsc.PROGRAM), directory, machine, image);
    }

    @Override
    public Capture capture() {
        return capture;
    }

    @Override
    public VolumeMounts volumes() {
        return volumes;
    }

    @Override
    public List<Path> entrances(Cgroup group, Optional<Path> image) {
        return group.places().stream().map(CgroupPlace::entrance).toList();
    }

    @Override
    public Duration lateTimers() {
        return LATE_TIMERS;
    }

    @Override
    public CgroupLimits launchLimits(Limits limits, Optional<Path> image) throws IOException {
        return image.isPresent()
                ? GvisorLimits.atRestore(limits, new GvisorImage(image.get()).memoryBytes())
                : GvisorLimits.atLaunch(limits);
    }

    @Override
    public CgroupLimits serviceLimits(Limits limits) {
        return GvisorLimits.inService(limits);
    }

    @Override
    public long usableMemory(Limits limits) {
        return GvisorLimits.untilTheAgentActs(limits);
    }

    /** Raw sockets need a flag of runsc, and a snapshot can be restored only with the flags with which it was taken. */
    @Override
    public Set<Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(Capability.NET_RAW));
    }

    @Override
    public boolean seesProcesses() {
        return false;
    }

    /** The memory limit on the host would kill the whole sandbox, so the agent guards the plain one. */
    @Override
    public GuestSettings guestSettings(Security security, Set<Capability> capabilities, Limits limits) {
        return new GuestSettings(
                Capability.mask(capabilities),
                security == Security.STRICT,
                limits.memoryBytes(),
                limits.processes(),
                security == Security.STANDARD,
                true);
    }
}
