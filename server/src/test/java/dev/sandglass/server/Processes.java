package dev.sandglass.server;

import dev.sandglass.runtime.oci.RunDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Processes of this host. */
final class Processes {
    private Processes() {}

    static void kill(@Nullable Long pid) throws IOException {
        if (pid == null || pid < 2) {
            throw new AssertionError("pid: " + pid + " (expected: a process of a sandbox)");
        }
        MountNamespace.output(new ProcessBuilder("kill", "-9", Long.toString(pid)));
    }

    /** Such as STOP. */
    static void signal(String name, List<Long> pids) throws IOException {
        for (long pid : pids) {
            MountNamespace.output(new ProcessBuilder("kill", "-" + name, Long.toString(pid)));
        }
    }

    /** Whether a thread of that process waits in a function of the kernel whose name ends so. */
    static boolean waitIn(long pid, String function) {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return threads.anyMatch(thread -> Leftovers.read(thread.resolve("wchan")).endsWith(function));
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** The host's pids of all that runs in a sandbox or for it. */
    static List<Long> of(TestDaemon daemon, String id) {
        String group = new RunDirectory(daemon.run()).cgroupParent() + "/" + id;
        return Stream.of("pids/" + group, group)
                .map(place -> Path.of("/sys/fs/cgroup", place, "cgroup.procs"))
                .flatMap(file -> Leftovers.read(file).lines())
                .map(Long::valueOf)
                .toList();
    }
}
