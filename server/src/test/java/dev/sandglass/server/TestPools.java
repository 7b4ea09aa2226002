package dev.sandglass.server;

import dev.sandglass.runtime.oci.RunDirectory;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxPool;
import dev.sandglass.wire.SandboxPoolList;
import dev.sandglass.wire.SetPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The pools of a daemon, and the sandboxes that wait in them. */
record TestPools(TestDaemon daemon) {
    private static final String POOLS = "/v1/pools";

    SandboxPool set(String name, long least, @Nullable Long most, @Nullable String warmUp) {
        return daemon.caller().put(POOLS + "/" + name, new SetPool(least, most, warmUp)).as(SandboxPool.class);
    }

    /** The same when all of them wait. */
    SandboxPool filled(String name, long least, @Nullable String warmUp) {
        set(name, least, null, warmUp);
        return filled(name);
    }

    SandboxPool filled(String name) {
        return Eventually.get(() -> get(name), pool -> pool.ready() == pool.minIdle());
    }

    SandboxPool get(String name) {
        return daemon.caller().get(POOLS + "/" + name).as(SandboxPool.class);
    }

    List<SandboxPool> all() {
        return daemon.caller().get(POOLS).as(SandboxPoolList.class).pools();
    }

    void remove(String name) {
        daemon.caller().good(daemon.caller().delete(POOLS + "/" + name));
    }

    /** Ends all, and waits until nothing of what waited is there. */
    void clear() {
        all().stream().filter(pool -> pool.origin().equals("user")).forEach(pool -> remove(pool.name()));
        Eventually.get(this::waiting, Set::isEmpty);
    }

    /** The ids of those that run and that nobody has. */
    Set<String> waiting() {
        try {
            Set<String> known = daemon.api().list().stream().map(Sandbox::id).collect(Collectors.toSet());
            Set<String> there = new TreeSet<>();
            for (Path path : Leftovers.entries(daemon.run().resolve("sandboxes"))) {
                there.add(path.getFileName().toString());
            }
            there.removeAll(known);
            return there;
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** What the processes of a sandbox have used of the processors so far, as the host counts it. */
    static String processorTime(TestDaemon daemon, String id) {
        String group = new RunDirectory(daemon.run()).cgroupParent() + "/" + id;
        try {
            Path old = Path.of("/sys/fs/cgroup/cpuacct", group, "cpuacct.usage");
            return Files.exists(old)
                    ? Files.readString(old).strip()
                    : Files.readAllLines(Path.of("/sys/fs/cgroup", group, "cpu.stat")).stream().filter(line -> line.startsWith("usage_usec")).findFirst().orElseThrow();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
