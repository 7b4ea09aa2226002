package dev.sandglass.bench;

import dev.sandglass.bench.network.Caller;
import dev.sandglass.bench.network.Requests;
import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Size;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * How requests are measured.
 *
 * @param one the measure of those in a row
 * @param many that of those at once
 * @param count of rounds
 */
record Calls(Measure one, Measure many, int count, Size size) {
    private static final int IN_A_ROW = 20;

    /** Enough for the hot parts to be compiled, as they are in a daemon that runs for days. */
    int warmUp() {
        return count == 1 ? 0 : 2 * count;
    }

    void inARow(Caller caller, Laps laps) throws IOException {
        try (Requests requests = caller.requests()) {
            requests.ask();
            for (int i = 0; i < IN_A_ROW; i++) {
                long begun = System.nanoTime();
                requests.ask();
                laps.lap(one, System.nanoTime() - begun);
            }
        }
    }

    void atOnce(Caller caller, Laps laps) throws IOException {
        List<Requests> open = new ArrayList<>();
        try {
            List<AtOnce.Task<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < Size.EXECS_AT_ONCE; i++) {
                Requests own = caller.requests();
                open.add(own);
                tasks.add(() -> {
                    for (int done = 0; done < size.requests() / Size.EXECS_AT_ONCE; done++) {
                        own.ask();
                    }
                    return 0;
                });
            }
            long begun = System.nanoTime();
            AtOnce.run(Size.EXECS_AT_ONCE, tasks);
            laps.lap(many, System.nanoTime() - begun);
        } finally {
            for (Requests each : open) {
                each.close();
            }
        }
    }
}
