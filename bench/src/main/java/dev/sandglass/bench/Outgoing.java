package dev.sandglass.bench;

import dev.sandglass.bench.network.Way;
import dev.sandglass.bench.network.Ways;
import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Size;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The measurements of the way out of a sandbox, beside a plain relay and beside none. */
final class Outgoing {
    private static final int MOST_STREAMS = 5;
    private static final int WARM_UP = 2;

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
        Calls calls = new Calls(Measure.REQUEST, Measure.REQUESTS, count, size);
        try (Ways ways = new Ways(runDir, size.fileMegabytes())) {
            rounds.run("a stream", 0.1, ways.streams(), Math.min(WARM_UP, count - 1), Math.min(MOST_STREAMS, count), this::stream);
            rounds.run("requests", 0.05, ways.requests(), calls.warmUp(), count, calls::inARow);
            rounds.run("requests at once", 0.05, ways.requests(), Math.min(WARM_UP, count - 1), count, calls::atOnce);
            return ways.notes();
        }
    }

    private void stream(Way way, Laps laps) throws IOException {
        long begun = System.nanoTime();
        long got = way.stream();
        laps.lap(Measure.STREAM, System.nanoTime() - begun);
        if (got != (long) size.fileMegabytes() << 20) {
            throw new IOException(way.who().name() + " gave " + got + " bytes");
        }
    }
}
