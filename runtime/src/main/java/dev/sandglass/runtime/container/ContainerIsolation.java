package dev.sandglass.runtime.container;

import dev.sandglass.engine.runtime.GuestSettings;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.CgroupLimits;
import dev.sandglass.linux.Cgroups;
import dev.sandglass.linux.HostName;
import dev.sandglass.linux.IdRange;
import dev.sandglass.linux.MountFlag;
import dev.sandglass.linux.SealedProgram;
import dev.sandglass.runtime.oci.Capture;
import dev.sandglass.runtime.oci.EngineProgram;
import dev.sandglass.runtime.oci.HostFacts;
import dev.sandglass.runtime.oci.Isolation;
import dev.sandglass.runtime.oci.RunDirectory;
import dev.sandglass.runtime.oci.SandboxDirectory;
import dev.sandglass.runtime.oci.SeccompProfile;
import dev.sandglass.runtime.oci.Spec;
import dev.sandglass.runtime.oci.SpecMounts;
import dev.sandglass.runtime.oci.Specs;
import dev.sandglass.runtime.oci.VolumeMounts;
import dev.sandglass.wire.RuntimeStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Containers on the host's kernel, in a user namespace. */
public final class ContainerIsolation implements Isolation {
    public static final String NAME = "container";
    private static final List<Spec.Namespace> NAMESPACES =
            Specs.namespaces("pid", "mount", "network", "ipc", "uts", "cgroup", "user");
    private static final Spec.Seccomp SECCOMP = SeccompProfile.container();

    private final RunDirectory run;
    private final Cgroups cgroups;
    private final List<ContainerEngine> candidates;
    private final MappedRoot roots = new MappedRoot();
    private final CompiledFilter filter = new CompiledFilter();
    private final HostFacts host = HostFacts.read();
    private final ContainerCapture capture = new ContainerCapture(this::targets);
    private volatile ContainerEngine engine;
    private @Nullable SealedProgram naming;

    /** Takes the first of the engines that works here. */
    public ContainerIsolation(RunDirectory run, Cgroups cgroups, List<ContainerEngine> candidates)
            throws IOException {
        this.run = run;
        this.cgroups = cgroups;
        this.candidates = List.copyOf(candidates);
        this.engine = candidates.getFirst();
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
        if (!KernelRelease.current().isAtLeast(5, 19)) {
            return unavailable("an overlay of idmapped layers needs Linux 5.19, this is " + KernelRelease.current());
        }
        List<String> obstacles = new ArrayList<>();
        for (ContainerEngine candidate : candidates) {
            Optional<EngineProgram> program = EngineProgram.find(candidate.program());
            Optional<String> obstacle = program.isEmpty() ? Optional.of("it is not installed") : candidate.obstacle();
            if (obstacle.isEmpty()) {
                engine = candidate;
                return checked(program.orElseThrow(), obstacles);
            }
            obstacles.add("not " + candidate.program() + ": " + obstacle.get());
        }
        return unavailable(String.join("; ", obstacles) + ". Install crun: apt-get install crun");
    }

    private RuntimeStatus checked(EngineProgram program, List<String> obstacles) {
        try {
            roots.check();
        } catch (IOException problem) {
            return unavailable(String.valueOf(problem.getMessage()));
        }
        String reason = obstacles.isEmpty() ? null : String.join("; ", obstacles);
        return new RuntimeStatus(NAME, true, program.name(), program.version(), reason);
    }

    private static RuntimeStatus unavailable(String reason) {
        return new RuntimeStatus(NAME, false, null, null, reason);
    }

    @Override
    public void mountRoot(Machine machine, SandboxDirectory directory) throws IOException {
        Set<MountFlag> flags = EnumSet.of(MountFlag.NO_DEVICES);
        if (machine.security() == Security.STRICT) {
            flags.add(MountFlag.NO_SETUID);
        }
        roots.mount(machine, directory, flags);
    }

    @Override
    public Spec spec(Machine machine, SandboxDirectory directory, Cgroup group, Optional<Path> image) throws IOException {
        List<Spec.Mount> mounts = mounts(machine, group);
        List<Spec.IdMapping> ids =
                List.of(new Spec.IdMapping(0, IdRange.SANDBOXES.first(), IdRange.SANDBOXES.count()));
        Spec.Linux linux = Specs.linux(Specs.joined(NAMESPACES, machine), ids, group.path(), host, SECCOMP);
        List<Spec.ResourceLimit> limits = List.of(Specs.openFiles(host), Specs.noCoreFiles());
        return Specs.of(machine, directory, Specs.agent(machine, List.of(), limits), mounts, linux)
                .annotated(filter.annotations());
    }

    private List<Spec.Mount> mounts(Machine machine, Cgroup group) throws IOException {
        long memory = machine.limits().memoryBytes();
        List<Spec.Mount> mounts = new ArrayList<>();
        mounts.add(SpecMounts.proc());
        mounts.addAll(SpecMounts.devices(memory));
        mounts.add(SpecMounts.sys());
        mounts.addAll(CgroupView.mounts(group, run));
        mounts.add(SpecMounts.memory("/run", "755", memory / 4));
        mounts.addAll(SpecMounts.identity(machine));
        return mounts;
    }

    /** What is part of an image and the host's own affair: its control groups, and what it has to hide. */
    private String targets() {
        List<String> targets = new ArrayList<>(cgroups.group(run.cgroupParent(), "any").places().stream()
                .map(place -> String.valueOf(place.mount().getFileName()))
                .toList());
        targets.addAll(host.maskedPaths());
        return String.join(" ", targets);
    }

    @Override
    public List<String> startCommand(Machine machine, SandboxDirectory directory, Optional<Path> image) throws IOException {
        return image.isPresent()
                ? restore(directory, image.get()).command(capture.criu(), naming(), machine.hostname())
                : engine.startCommand(run.state(engine.program()), directory, machine.id());
    }

    @Override
    public void mountImage(Machine machine, SandboxDirectory directory, Cgroup group, Path image) throws IOException {
        restore(directory, image).mount(roots.ids(), mounts(machine, group), host.maskedPaths());
    }

    private static CriuRestore restore(SandboxDirectory directory, Path image) {
        return new CriuRestore(new CriuImage(image), directory);
    }

    private synchronized SealedProgram naming() throws IOException {
        SealedProgram made = naming;
        if (made == null) {
            made = CriuRestore.naming();
            naming = made;
        }
        return made;
    }

    @Override
    public Capture capture() {
        return capture;
    }

    @Override
    public VolumeMounts volumes() {
        return new ContainerVolumes(roots);
    }

    @Override
    public boolean copiesItself() {
        return true;
    }

    @Override
    public void started(Machine machine) {
        if (engine == ContainerEngine.CRUN) {
            filter.learn(run.state(engine.program()).resolve(machine.id().text()));
        }
    }

    @Override
    public void name(long pid, String hostname, BooleanSupplier isSame) throws IOException {
        HostName.set(pid, hostname, isSame);
    }

    @Override
    public List<Path> entrances(Cgroup group, Optional<Path> image) {
        return image.isPresent() ? ContainerEngine.allEntrances(group) : engine.entrances(group);
    }

    @Override
    public CgroupLimits launchLimits(Limits limits, Optional<Path> image) {
        int tasks = image.isPresent() ? CriuRestore.LAUNCH_TASKS : engine.launchTasks();
        return new CgroupLimits(limits.memoryBytes(), limits.cpus(), limits.processes() + tasks);
    }

    @Override
    public CgroupLimits serviceLimits(Limits limits) {
        return new CgroupLimits(limits.memoryBytes(), limits.cpus(), limits.processes());
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public boolean seesProcesses() {
        return true;
    }

    /** The kernel's own limits end the process that breaks them: nothing is left to the agent. */
    @Override
    public GuestSettings guestSettings(Security security, Set<Capability> capabilities, Limits limits) {
        return new GuestSettings(Capability.mask(capabilities), security == Security.STRICT, 0, 0, false, false);
    }
}
