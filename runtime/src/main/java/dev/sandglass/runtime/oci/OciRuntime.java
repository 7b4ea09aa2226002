package dev.sandglass.runtime.oci;

import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.engine.runtime.GuestSettings;
import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.runtime.MachineVolume;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.runtime.Usage;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.CgroupUsage;
import dev.sandglass.linux.Cgroups;
import dev.sandglass.linux.Fifo;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.ProcessFacts;
import dev.sandglass.linux.ProcessWatch;
import dev.sandglass.linux.Trees;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A runtime on an OCI engine: the same life for every isolation. Thread-safe; keeps nothing that a restart would lose. */
public final class OciRuntime implements Runtime {
    private static final Duration FREEZING = Duration.ofSeconds(30);
    private static final long MEBIBYTE = 1 << 20;
    /** What an engine says last that does not find a file which captured processes have open. */
    private static final String MISSING = ": no such file or directory";

    private final Isolation isolation;
    private final RunDirectory run;
    private final Cgroups cgroups;
    private final ProcessWatch processes;
    private final Remains remains;
    private final SandboxMemory memory;
    private final Launcher launcher;
    private final AtomicReference<@Nullable RuntimeStatus> status = new AtomicReference<>();

    public OciRuntime(Isolation isolation, RunDirectory run, Cgroups cgroups, ProcessWatch processes) {
        this.isolation = isolation;
        this.run = run;
        this.cgroups = cgroups;
        this.processes = processes;
        this.remains = new Remains(run, cgroups, new LateUnmounts());
        this.memory = new SandboxMemory(isolation.capture(), run, cgroups);
        this.launcher = new Launcher(isolation.copiesItself());
    }

    @Override
    public String name() {
        return isolation.name();
    }

    @Override
    public RuntimeStatus status() {
        RuntimeStatus known = status.get();
        if (known == null) {
            known = isolation.findStatus();
            if (known.available()) {
                status.set(known); // what is missing may be installed while the daemon runs
            }
        }
        return known;
    }

    @Override
    public MachineProcess start(Machine machine) {
        return bring(machine, Optional.empty());
    }

    @Override
    public MachineProcess restore(Machine machine, Path image) {
        requireMemory();
        memory.requireRoom(machine.limits(), image);
        return bring(machine, Optional.of(image));
    }

    /** @param image from which it goes on, if it does not begin anew */
    private MachineProcess bring(Machine machine, Optional<Path> image) {
        requireAvailable();
        SandboxDirectory directory = run.sandbox(machine.id());
        if (Files.exists(directory.path())) {
            throw new SandglassException(
                    ErrorCode.RUNTIME_FAILED,
                    "Something of " + machine.id() + " is there already.",
                    "Destroy it before it is started again.");
        }
        try {
            return launch(machine, directory, image);
        } catch (IOException | RuntimeException problem) {
            SandglassException failure = failure(machine.id(), directory, image.isPresent(), problem);
            try {
                remains.remove(machine.id());
            } catch (IOException leftOver) {
                failure.addSuppressed(leftOver);
            }
            throw failure;
        }
    }

    private MachineProcess launch(Machine machine, SandboxDirectory directory, Optional<Path> image) throws IOException {
        require(Files.isExecutable(machine.agent()), "the agent", machine.agent());
        require(Files.isDirectory(machine.identity()), "the identity", machine.identity());
        require(Files.isDirectory(machine.writable()), "the writable tree", machine.writable());
        Trace.step("control group");
        directory.make();
        Cgroup group = group(machine.id());
        group.make();
        group.limit(isolation.launchLimits(machine.limits(), image));
        Trace.step("mounts");
        long pid;
        List<String> command = isolation.startCommand(machine, directory, image);
        try (Launch launch = launcher.begin(directory, isolation.lateTimers(), isolation.entrances(group, image), command)) {
            Files.createDirectories(directory.root());
            Mounts.bind(directory.mounts(), directory.mounts());
            isolation.mountRoot(machine, directory);
            if (image.isPresent()) {
                isolation.mountImage(machine, directory, group, image.get());
            }
            Files.write(directory.bundle().resolve("config.json"), Json.bytes(isolation.spec(machine, directory, group, image)));
            Trace.step("engine");
            pid = launch.go();
        }
        Trace.step("limits");
        isolation.started(machine);
        Mounts.detach(directory.mounts());
        Trees.remove(directory.mounts()); // a directory that is not there has no mounts below it
        group.limit(isolation.serviceLimits(machine.limits()));
        long startTicks = ProcessFacts.startTicks(pid).orElseThrow(() -> new IOException("PID 1 ended at once"));
        return new MachineProcess(pid, startTicks, ProcessFacts.bootId());
    }

    @Override
    public Optional<String> obstacleToMemory() {
        RuntimeStatus known = status();
        return known.available()
                ? isolation.capture().obstacle(String.valueOf(known.version()))
                : Optional.of("the runtime cannot run here: " + known.reason());
    }

    @Override
    public boolean capturesOnHost() {
        return isolation.capture().isByHost();
    }

    @Override
    public void pause(SandboxId id) {
        memory.pause(id);
    }

    @Override
    public void resume(SandboxId id) {
        memory.resume(id);
    }

    @Override
    public void freeze(SandboxId id) {
        try {
            group(id).freeze(System.nanoTime() + FREEZING.toNanos());
        } catch (IOException problem) {
            throw broken("The sandbox " + id + " cannot be stopped in its tracks: " + problem.getMessage(), problem);
        }
    }

    @Override
    public void thaw(SandboxId id) {
        try {
            group(id).thaw();
        } catch (IOException problem) {
            throw broken("The sandbox " + id + " cannot go on: " + problem.getMessage(), problem);
        }
    }

    @Override
    public boolean reserve(SandboxId id, Path image) {
        requireMemory();
        return memory.reserve(id, image);
    }

    @Override
    public void checkpoint(SandboxId id, Path image) {
        requireMemory();
        memory.checkpoint(id, image);
    }

    @Override
    public long leastMemory(Path image) {
        return memory.least(image);
    }

    @Override
    public Map<String, String> traits(boolean linked) {
        requireAvailable();
        Map<String, String> traits = new TreeMap<>(isolation.capture().traits(linked));
        if (linked) {
            traits.put("network", "linked");
        }
        traits.put("runtime", name());
        traits.put("engine", String.valueOf(status().engine()));
        traits.put("engine_version", String.valueOf(status().version()));
        traits.put("architecture", MachineTraits.architecture());
        traits.put("cpu_features", MachineTraits.processorFeatures());
        return traits;
    }

    @Override
    public GuestChannel connect(SandboxId id) {
        SandboxDirectory directory = run.sandbox(id);
        try {
            FileChannel fromGuest = Fifo.open(directory.out());
            try {
                return new GuestChannel(fromGuest, Fifo.open(directory.in()));
            } catch (IOException problem) {
                fromGuest.close();
                throw problem;
            }
        } catch (NoSuchFileException problem) {
            throw new SandglassException(
                    ErrorCode.SANDBOX_NOT_RUNNING, "The sandbox " + id + " is not running.", "See `sandglass inspect`.", problem);
        } catch (IOException problem) {
            throw broken("The streams of " + id + " cannot be opened: " + problem.getMessage(), problem);
        }
    }

    @Override
    public GuestSettings guestSettings(Security security, Set<Capability> capabilities, Limits limits) {
        return isolation.guestSettings(security, capabilities, limits);
    }

    @Override
    public Set<Capability> capabilities() {
        return isolation.capabilities();
    }

    @Override
    public Usage usage(SandboxId id) {
        try {
            CgroupUsage usage = group(id).usage();
            return new Usage(usage.memoryBytes(), usage.cpuMicros(), usage.tasks(), usage.oomKills(), usage.refusedTasks());
        } catch (IOException problem) {
            throw broken("The use of resources of " + id + " cannot be read: " + problem.getMessage(), problem);
        }
    }

    @Override
    public long oomKills(SandboxId id) {
        try {
            return group(id).oomKills();
        } catch (IOException problem) {
            throw broken("The use of resources of " + id + " cannot be read: " + problem.getMessage(), problem);
        }
    }

    @Override
    public boolean seesProcesses() {
        return isolation.seesProcesses();
    }

    @Override
    public void limit(SandboxId id, Limits limits) {
        long used = usage(id).memoryBytes();
        if (used > isolation.usableMemory(limits)) {
            throw inUse(id, limits, used, null);
        }
        try {
            group(id).limit(isolation.serviceLimits(limits));
        } catch (IOException problem) {
            long now = usage(id).memoryBytes();
            throw String.valueOf(problem.getMessage()).contains("busy")
                    ? inUse(id, limits, now, problem) // version 1 refuses what it cannot make room for
                    : broken("The limits of " + id + " cannot be changed: " + problem.getMessage(), problem);
        }
    }

    private static SandglassException inUse(SandboxId id, Limits limits, long used, @Nullable IOException problem) {
        return new SandglassException(
                ErrorCode.CONFLICT,
                "memory_mb: " + limits.memoryBytes() / MEBIBYTE + " is less than " + id + " needs: it uses " + used / MEBIBYTE + " MB.",
                "End some of its commands or remove files in memory first, or stop it.",
                problem);
    }

    @Override
    public void name(MachineProcess process, String hostname) {
        if (life(process) != Life.ALIVE) {
            return;
        }
        try {
            isolation.name(process.pid(), hostname, () -> life(process) == Life.ALIVE);
        } catch (IOException problem) {
            if (life(process) == Life.ALIVE) {
                throw broken("The host name " + hostname + " cannot be set: " + problem.getMessage(), problem);
            }
        }
    }

    @Override
    public boolean bindsInside() {
        return isolation.volumes().bindsInside();
    }

    @Override
    public void attach(SandboxId id, MachineProcess process, MachineVolume volume) {
        VolumeChange.attach(isolation.volumes(), id, () -> running(id, process), volume);
    }

    @Override
    public void detach(SandboxId id, MachineProcess process, MachineVolume volume) {
        VolumeChange.detach(isolation.volumes(), id, () -> running(id, process), volume);
    }

    private RunningSandbox running(SandboxId id, MachineProcess process) throws IOException {
        return new RunningSandbox(id, process.pid(), group(id).processes(), () -> life(process) == Life.ALIVE);
    }

    @Override
    public Life life(MachineProcess process) {
        try {
            if (!ProcessFacts.bootId().equals(process.bootId())) {
                return Life.BEFORE_REBOOT;
            }
        } catch (IOException problem) {
            throw broken("This boot's id cannot be read: " + problem.getMessage(), problem);
        }
        boolean isSame = ProcessFacts.startTicks(process.pid()).equals(OptionalLong.of(process.startTicks()));
        return isSame ? Life.ALIVE : Life.ENDED;
    }

    @Override
    public void watch(MachineProcess process, Runnable ended) {
        if (life(process) != Life.ALIVE) {
            Thread.ofVirtual().start(ended);
            return;
        }
        try {
            processes.watch(process.pid(), process.startTicks(), ended);
        } catch (IOException problem) {
            throw broken("Process " + process.pid() + " cannot be watched: " + problem.getMessage(), problem);
        }
    }

    @Override
    public void destroy(SandboxId id) {
        destroy(id, remains::remove);
    }

    @Override
    public void destroyForGood(SandboxId id) {
        destroy(id, remains::removeForGood);
    }

    private interface Removal {
        void of(SandboxId id) throws IOException;
    }

    private static void destroy(SandboxId id, Removal removal) {
        try {
            removal.of(id);
        } catch (IOException problem) {
            throw broken("Something of " + id + " cannot be removed: " + problem.getMessage(), problem);
        }
    }

    @Override
    public Set<SandboxId> present() {
        try {
            return remains.sandboxes();
        } catch (IOException problem) {
            throw broken("The sandboxes on this host cannot be listed: " + problem.getMessage(), problem);
        }
    }

    private Cgroup group(SandboxId id) {
        return cgroups.group(run.cgroupParent(), id.text());
    }

    /** Engines say little about what they do not find. */
    private static void require(boolean isThere, String what, Path path) throws IOException {
        if (!isThere) {
            throw new IOException(what + " is missing: " + path);
        }
    }

    private void requireAvailable() {
        RuntimeStatus known = status();
        if (!known.available()) {
            throw new SandglassException(
                    ErrorCode.RUNTIME_UNAVAILABLE,
                    "The runtime " + name() + " cannot run here: " + known.reason(),
                    "`sandglass doctor` says what is missing, `sandglass setup` installs it.");
        }
    }

    private void requireMemory() {
        Optional<String> obstacle = obstacleToMemory();
        if (obstacle.isPresent()) {
            throw new SandglassException(
                    ErrorCode.RUNTIME_UNAVAILABLE,
                    "The runtime " + name() + " cannot capture memory here: " + obstacle.get(),
                    "Take a snapshot of the disk only, or use the runtime gvisor.");
        }
    }

    private SandglassException failure(SandboxId id, SandboxDirectory directory, boolean goesOn, Exception problem) {
        String log = directory.logTail();
        if (goesOn && log.endsWith(MISSING)) { // its root filesystem is as it was
            return new SandglassException(
                    ErrorCode.CONFLICT,
                    "The processes of " + id + " cannot go on: a file or directory that they have open in a volume is not there.",
                    "Put it back, give it the volume that it had, or let it begin with its disk only (disk_only).",
                    problem);
        }
        return new SandglassException(
                ErrorCode.RUNTIME_FAILED,
                "The sandbox " + id + " did not start: " + problem.getMessage() + (log.isEmpty() ? "" : ": " + log),
                "Run `sandglass doctor`; with another runtime (--runtime) it may start.",
                problem);
    }

    static SandglassException broken(String message, IOException problem) {
        return new SandglassException(
                ErrorCode.RUNTIME_FAILED, message, "Try again; if it stays, look at the host's kernel log.", problem);
    }
}
