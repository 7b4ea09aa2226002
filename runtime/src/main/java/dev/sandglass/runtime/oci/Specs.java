package dev.sandglass.runtime.oci;

import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.Security;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/** The parts of a configuration that are the same for every isolation. */
public final class Specs {
    private static final List<String> ENVIRONMENT =
            List.of("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    private static final long MOST_OPEN_FILES = 65_536;
    private static final String OPEN_FILES_LINE = "Max open files";

    private Specs() {}

    public static Spec of(
            Machine machine, SandboxDirectory directory, Spec.Process process, List<Spec.Mount> mounts, Spec.Linux linux) {
        Spec.Root root = new Spec.Root(directory.root().toString(), false);
        return new Spec(Spec.VERSION, process, root, machine.hostname(), mounts, linux);
    }

    /** PID 1: the agent as the sandbox's root. */
    public static Spec.Process agent(
            Machine machine, Collection<Capability> capabilities, List<Spec.ResourceLimit> limits) {
        return new Spec.Process(
                List.of(SpecMounts.AGENT),
                ENVIRONMENT,
                "/",
                new Spec.User(0, 0),
                machine.security() == Security.STRICT,
                Capability.sets(capabilities),
                limits);
    }

    public static List<Spec.Namespace> namespaces(String... types) {
        return List.of(types).stream().map(Spec.Namespace::new).toList();
    }

    public static List<String> maskedPaths() throws IOException {
        return ProtectedPaths.masked();
    }

    public static List<String> readOnlyPaths() {
        return ProtectedPaths.READ_ONLY;
    }

    public static Spec.ResourceLimit noCoreFiles() {
        return new Spec.ResourceLimit("RLIMIT_CORE", 0, 0);
    }

    /** As many as this host lets us give, which without CAP_SYS_RESOURCE is at most our own hard limit. */
    public static Spec.ResourceLimit openFiles() throws IOException {
        long most = MOST_OPEN_FILES;
        for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
            if (line.startsWith(OPEN_FILES_LINE)) {
                String hard = line.substring(OPEN_FILES_LINE.length()).strip().split("\\s+")[1];
                most = hard.equals("unlimited") ? most : Math.min(most, Long.parseLong(hard));
            }
        }
        return new Spec.ResourceLimit("RLIMIT_NOFILE", most, most);
    }
}
