package dev.sandglass.bench.raw;

import dev.sandglass.bench.Content;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.linux.Cgroup;
import dev.sandglass.linux.Cgroups;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.Trees;
import dev.sandglass.runtime.oci.Isolation;
import dev.sandglass.runtime.oci.SandboxDirectory;
import dev.sandglass.runtime.oci.Spec;
import dev.sandglass.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One container of an engine: its bundle, which may be used again and again, and its root, which is new each time. */
final class RawContainer implements Lent.Commands, AutoCloseable {
    private static final Limits SIZES = new Limits(2L << 30, 1, 0, 1024);
    private static final String FILE = "/workspace/bench";

    private final Isolation isolation;
    private final Machine machine;
    private final SandboxDirectory directory;
    private final Program program;
    private final List<String> startCommand;

    /** Writes the bundle; nothing is mounted yet. */
    RawContainer(Area area, Isolation isolation, List<String> argv) throws IOException {
        SandboxId id = SandboxId.random();
        this.isolation = isolation;
        Path nothing = area.run().path();
        this.machine = new Machine(
                id, "bench", List.of(area.image()), area.trees().resolve(id.text()), nothing, nothing, SIZES, Security.STRICT, Capability.STANDARD, Optional.empty());
        this.directory = new SandboxDirectory(area.run().path().resolve("sandboxes").resolve(id.text()));
        Files.createDirectories(directory.bundle());
        this.program = new Program(directory.path().resolve("log"));
        this.startCommand = isolation.startCommand(machine, directory, Optional.empty());
        Cgroup group = Cgroups.detect().group(area.run().cgroupParent(), id.text());
        Files.write(
                directory.bundle().resolve("config.json"),
                Json.bytes(withoutSandglass(isolation.spec(machine, directory, group, Optional.empty()), argv)));
    }

    /** The configuration of a sandbox with another PID 1, and without the mounts of which only Sandglass has the sources. */
    private static Spec withoutSandglass(Spec spec, List<String> argv) {
        Spec.Process agent = spec.process();
        Spec.Process process = new Spec.Process(
                argv, agent.env(), agent.cwd(), agent.user(), agent.noNewPrivileges(), agent.capabilities(), agent.rlimits());
        List<Spec.Mount> mounts = spec.mounts().stream()
                .filter(mount -> !mount.destination().startsWith("/run/sandglass")
                        && !mount.destination().startsWith("/sys/fs/cgroup"))
                .toList();
        return new Spec(spec.ociVersion(), process, spec.root(), spec.hostname(), mounts, spec.linux(), spec.annotations());
    }

    /** An empty tree in the pool, and the overlay of it and the image, as Sandglass mounts it. */
    void mount() throws IOException {
        Files.createDirectories(machine.writable().resolve("upper"));
        Files.createDirectory(machine.writable().resolve("work"));
        Files.createDirectories(directory.root());
        Mounts.bind(directory.mounts(), directory.mounts());
        isolation.mountRoot(machine, directory);
    }

    /** Runs PID 1 to its end; the engine removes the container itself. */
    void runToEnd() throws IOException {
        program.run(Engine.foreground(startCommand));
    }

    void startDetached() throws IOException {
        program.run(startCommand);
    }

    /** Lets what is captured go on in this one. */
    void restoreDetached(Path image) throws IOException {
        program.run(isolation.startCommand(machine, directory, Optional.of(image)));
    }

    /** Captures it while it stands still, without the time that making the image smaller takes. */
    void capture(Path image) throws IOException {
        program.run(verb("pause", machine.id().text()));
        program.run(verb("checkpoint", "-leave-running", "-compression=none", "-image-path=" + image, machine.id().text()));
        program.run(verb("resume", machine.id().text()));
    }

    void unmount() throws IOException {
        Mounts.detach(directory.mounts());
        Trees.remove(directory.mounts());
        Trees.remove(machine.writable());
    }

    @Override
    public void exec() throws IOException {
        exec(List.of("true"));
    }

    void exec(List<String> argv) throws IOException {
        program.run(inside(argv.toArray(String[]::new)));
    }

    @Override
    public void write(Content content) throws IOException {
        program.feed(inside("sh", "-c", "cat >" + FILE), content);
    }

    @Override
    public long read() throws IOException {
        return program.drain(inside("cat", FILE));
    }

    private List<String> inside(String... argv) {
        List<String> command = verb("exec", machine.id().text());
        command.addAll(List.of(argv));
        return command;
    }

    private List<String> verb(String... words) {
        List<String> command = new ArrayList<>(Engine.common(startCommand));
        command.addAll(List.of(words));
        return command;
    }

    @Override
    public void close() throws IOException {
        program.run(verb("delete", "--force", machine.id().text()));
        unmount();
        Trees.remove(directory.path());
    }
}
