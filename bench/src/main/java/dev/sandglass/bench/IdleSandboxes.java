package dev.sandglass.bench;

import dev.sandglass.bench.Contender.Running;
import dev.sandglass.bench.report.Figure;
import dev.sandglass.bench.report.Quantity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What a sandbox costs in which nothing runs: in the daemon, and by the processes that it consists of. */
record IdleSandboxes(SandglassContender contender, DaemonMemory memory) {
    private static final int COUNT = 10;

    List<Figure> measure() throws IOException {
        String runtime = contender.who().family();
        double heap = memory.heap();
        double resident = memory.resident();
        List<Running> started = AtOnce.run(2, Collections.nCopies(COUNT, contender::start));
        try {
            double residentEach = Math.max(0, memory.resident() - resident) / COUNT;
            double heapEach = Math.max(0, memory.heap() - heap) / COUNT;
            return List.of(
                    Quantity.HEAP_EACH.figure(heapEach, runtime),
                    Quantity.RESIDENT_EACH.figure(residentEach, runtime),
                    Quantity.processesEach(runtime).figure(processes() / COUNT));
        } finally {
            for (Running running : started) {
                running.close();
            }
        }
    }

    /** What processes share counts once, as far as it is shared among these. */
    private double processes() throws IOException {
        Set<String> sandboxes = contender.alive();
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
