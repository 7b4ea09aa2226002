package dev.sandglass.runtime.oci;

import dev.sandglass.engine.network.Namespaces;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Security;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parts of a configuration that are the same for every isolation. */
public final class Specs {
    private static final List<String> ENVIRONMENT =
            List.of("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");

    private Specs() {}

    public static Spec of(
            Machine machine, SandboxDirectory directory, Spec.Process process, List<Spec.Mount> mounts, Spec.Linux linux) {
        Spec.Root root = new Spec.Root(directory.root().toString(), false);
        return new Spec(Spec.VERSION, process, root, machine.hostname(), mounts, linux, Map.of());
    }

    /**
     * PID 1: the agent as the sandbox's root. It has all that its commands may have, and what it needs to make commands that
     * have less.
     */
    public static Spec.Process agent(
            Machine machine, List<String> more, List<Spec.ResourceLimit> limits) {
        Set<Capability> own = EnumSet.copyOf(Capability.STANDARD);
        own.addAll(machine.capabilities());
        List<String> names = new ArrayList<>(own.stream().map(each -> "CAP_" + each.name()).toList());
        names.addAll(more);
        return new Spec.Process(
                List.of(SpecMounts.AGENT),
                ENVIRONMENT,
                "/",
                new Spec.User(0, 0),
                machine.security() == Security.STRICT,
                new Spec.CapabilitySets(names, names, names),
                limits);
    }

    public static List<Spec.Namespace> namespaces(String... types) {
        return List.of(types).stream().map(type -> new Spec.Namespace(type, null)).toList();
    }

    /** Those, but the network and, where there is one, the user namespace are the machine's. */
    public static List<Spec.Namespace> joined(List<Spec.Namespace> namespaces, Machine machine) {
        return machine.network().isEmpty()
                ? namespaces
                : namespaces.stream().map(each -> joined(each, machine.network().get())).toList();
    }

    private static Spec.Namespace joined(Spec.Namespace namespace, Namespaces network) {
        return switch (namespace.type()) {
            case "network" -> new Spec.Namespace(namespace.type(), network.network().toString());
            case "user" -> new Spec.Namespace(namespace.type(), network.user().toString());
            default -> namespace;
        };
    }

    /** Namespaces and filters of the sandbox; ids are mapped only with a user namespace. */
    public static Spec.Linux linux(
            List<Spec.Namespace> namespaces,
            @Nullable List<Spec.IdMapping> ids,
            String cgroup,
            HostFacts host,
            Spec.Seccomp seccomp) {
        return new Spec.Linux(namespaces, ids, ids, cgroup, host.maskedPaths(), HostFacts.READ_ONLY_PATHS, seccomp);
    }

    public static Spec.ResourceLimit noCoreFiles() {
        return new Spec.ResourceLimit("RLIMIT_CORE", 0, 0);
    }

    public static Spec.ResourceLimit openFiles(HostFacts host) {
        return new Spec.ResourceLimit("RLIMIT_NOFILE", host.openFiles(), host.openFiles());
    }
}
