package dev.sandglass.bench;

import dev.sandglass.bench.network.Requests;
import dev.sandglass.bench.network.Way;
import dev.sandglass.bench.network.Ways;
import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Size;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The measurements of the way out of a sandbox, beside a plain relay and beside none. */
final class Outgoing {
    private static final int MOST_STREAMS = 5;
    private static final int WARM_UP = 2;
    private static final int IN_A_ROW = 20;

    private final Path runDir;
    private final Rounds rounds;
    private final int count;
    private final Size size;

    Outgoing(Path runDir, Rounds rounds, int count, Size size) {
        this.runDir = runDir;
        this.rounds = rounds;
        this.count = count;
        this.size = size;
    }

    /** @return notes on what is left out */
    List<String> run() throws IOException {
        try (Ways ways = new Ways(runDir, size.fileMegabytes())) {
            rounds.run("a stream", 0.1, ways.streams(), Math.min(WARM_UP, count - 1), Math.min(MOST_STREAMS, count), this::stream);
            rounds.run("requests", 0.05, ways.requests(), warmUp(), count, Outgoing::inARow);
            rounds.run("requests at once", 0.05, ways.requests(), Math.min(WARM_UP, count - 1), count, this::atOnce);
            return ways.notes();
        }
    }

    /** Enough for the hot parts to be compiled, as they are in a daemon that runs for days. */
    private int warmUp() {
        return count == 1 ? 0 : 2 * count;
    }

    private void stream(Way way, Laps laps) throws IOException {
        long begun = System.nanoTime();
        long got = way.stream();
        laps.lap(Measure.STREAM, System.nanoTime() - begun);
        if (got != (long) size.fileMegabytes() << 20) {
            throw new IOException(way.who().name() + " gave " + got + " bytes");
        }
    }

    private static void inARow(Way way, Laps laps) throws IOException {
        try (Requests requests = way.requests()) {
            requests.ask();
            for (int i = 0; i < IN_A_ROW; i++) {
                long begun = System.nanoTime();
                requests.ask();
                laps.lap(Measure.REQUEST, System.nanoTime() - begun);
            }
        }
    }

    private void atOnce(Way way, Laps laps) throws IOException {
        List<Requests> open = new ArrayList<>();
        try {
            List<AtOnce.Task<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < Size.EXECS_AT_ONCE; i++) {
                Requests own = way.requests();
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
            laps.lap(Measure.REQUESTS, System.nanoTime() - begun);
        } finally {
            for (Requests each : open) {
                each.close();
            }
        }
    }
}
