package dev.sandglass.bench;

import dev.sandglass.bench.Contender.Running;
import dev.sandglass.bench.report.Figure;
import dev.sandglass.bench.report.Quantity;
import java.io.IOException;
import java.util.Collections;
import java.util.List;

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
                    Quantity.processesEach(runtime).figure(ProcessMemory.megabytes(contender.alive()) / COUNT));
        } finally {
            for (Running running : started) {
                running.close();
            }
        }
    }
}
