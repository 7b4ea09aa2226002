package dev.sandglass.server;

import dev.sandglass.runtime.oci.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the host's control groups hold a sandbox to. */
record HostLimits(long memoryBytes, long processes) {
    static HostLimits of(TestDaemon daemon, String id) throws IOException {
        String group = new RunDirectory(daemon.run()).cgroupParent() + "/" + id;
        return new HostLimits(
                read(List.of("memory/" + group + "/memory.limit_in_bytes", group + "/memory.max")),
                read(List.of("pids/" + group + "/pids.max", group + "/pids.max")));
    }

    /** Lets the host refuse the next process or thread of the sandbox. */
    static void refuseTasks(TestDaemon daemon, String id) throws IOException {
        String group = new RunDirectory(daemon.run()).cgroupParent() + "/" + id;
        for (Path directory : List.of(Path.of("/sys/fs/cgroup/pids", group), Path.of("/sys/fs/cgroup", group))) {
            if (Files.exists(directory.resolve("pids.max"))) {
                Files.writeString(directory.resolve("pids.max"), "1");
            }
        }
    }

    private static long read(List<String> places) throws IOException {
        for (String place : places) {
            Path file = Path.of("/sys/fs/cgroup").resolve(place);
            if (Files.exists(file)) {
                return Long.parseLong(Files.readString(file).strip());
            }
        }
        throw new IOException("none of " + places);
    }
}
