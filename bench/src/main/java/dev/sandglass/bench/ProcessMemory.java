package dev.sandglass.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/** What the processes of sandboxes take, found by their control groups. */
public final class ProcessMemory {
    private ProcessMemory() {}

    /** The megabytes of all processes of these sandboxes (PSS). What processes share counts once, as far as it is shared among these. */
    public static double megabytes(Set<String> sandboxes) throws IOException {
        try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
            return entries.filter(entry -> entry.getFileName().toString().matches("[0-9]+"))
                    .mapToDouble(process -> megabytes(process, sandboxes))
                    .sum();
        }
    }

    /** Nothing of a process that is not of these sandboxes, or has ended meanwhile. */
    private static double megabytes(Path process, Set<String> sandboxes) {
        try {
            String groups = Files.readString(process.resolve("cgroup"));
            boolean isTheirs = sandboxes.stream().anyMatch(groups::contains);
            return isTheirs ? DaemonMemory.megabytes(process.resolve("smaps_rollup"), "Pss:") : 0;
        } catch (IOException | UncheckedIOException gone) {
            return 0;
        }
    }
}
