package dev.sandglass.runtime.oci;

import dev.sandglass.engine.runtime.Machine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The mounts inside a sandbox. Targets are resolved by the engine inside the new root, so links in an image lead nowhere. */
public final class SpecMounts {
    private static final String AGENT_DIRECTORY = "/run/sandglass";
    /** Where PID 1's program is inside. */
    public static final String AGENT = AGENT_DIRECTORY + "/agent";
    /** Their memory in the kernel is nobody's. */
    private static final int MOST_TERMINALS = 512;

    private SpecMounts() {}

    public static Spec.Mount proc() {
        return new Spec.Mount("/proc", "proc", "proc", List.of("nosuid", "noexec", "nodev"));
    }

    /** Memory for device nodes, terminals, shared memory and message queues; shared memory gets half of the limit. */
    public static List<Spec.Mount> devices(long memoryBytes) {
        return List.of(
                new Spec.Mount("/dev", "tmpfs", "tmpfs", List.of("nosuid", "strictatime", "mode=755", "size=65536k")),
                new Spec.Mount(
                        "/dev/pts",
                        "devpts",
                        "devpts",
                        List.of("nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5", "max=" + MOST_TERMINALS)),
                new Spec.Mount(
                        "/dev/shm",
                        "tmpfs",
                        "shm",
                        List.of("nosuid", "noexec", "nodev", "mode=1777", "size=" + memoryBytes / 2)),
                new Spec.Mount("/dev/mqueue", "mqueue", "mqueue", List.of("nosuid", "noexec", "nodev")));
    }

    public static Spec.Mount sys() {
        return new Spec.Mount("/sys", "sysfs", "sysfs", List.of("nosuid", "noexec", "nodev", "ro"));
    }

    public static Spec.Mount memory(String target, String mode, long bytes) {
        return new Spec.Mount(target, "tmpfs", "tmpfs", List.of("nosuid", "nodev", "mode=" + mode, "size=" + bytes));
    }

    /** Who the sandbox is, and the program of its PID 1. */
    public static List<Spec.Mount> identity(Machine machine) {
        return List.of(readOnly(machine.identity(), AGENT_DIRECTORY), readOnly(machine.agent(), AGENT));
    }

    /**
     * The same.
     *
     * @param identity a mount of the machine's identity, with what is mounted below it
     */
    public static List<Spec.Mount> identity(Machine machine, Path identity) {
        return List.of(readOnly(identity, AGENT_DIRECTORY, "rbind"), readOnly(machine.agent(), AGENT));
    }

    public static Spec.Mount readOnly(Path source, String target, String... more) {
        List<String> options = new ArrayList<>(List.of("bind", "ro", "nosuid", "nodev"));
        options.addAll(List.of(more));
        return new Spec.Mount(target, "bind", source.toString(), options);
    }
}
