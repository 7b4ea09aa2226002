package dev.sandglass.bench;

import dev.sandglass.bench.Capturing.Held;
import dev.sandglass.bench.Capturing.Load;
import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Results.Who;
import dev.sandglass.bench.report.Size;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The measurements of captures with memory, and of what goes on from them. */
final class Travels {
    private static final int MOST_ROUNDS = 5;
    private static final double SHARE = 0.2;
    private static final Load SMALL = new Load(8, 1);
    private static final Load LARGE = new Load(256, 1);
    private static final Load MANY = new Load(8, 200);

    private interface Work {
        void run(Held held, Laps laps) throws IOException;
    }

    private final List<Capturing> contenders;
    private final Rounds rounds;
    private final int count;
    private final int copies;

    Travels(List<Contender> contenders, Rounds rounds, int count, Size size) {
        this.contenders = contenders.stream()
                .filter(Capturing.class::isInstance)
                .map(Capturing.class::cast)
                .filter(Capturing::captures)
                .toList();
        this.rounds = rounds;
        this.count = Math.min(MOST_ROUNDS, count);
        this.copies = size.copies();
    }

    void run() throws IOException {
        with("8 MB of memory", SMALL, count, (held, laps) -> {
            laps.lap(Measure.PAUSE_SMALL, held.capture());
            laps.lap(Measure.RESTORE_SMALL, held.copy());
            laps.lap(Measure.FORK_SMALL, held.fork());
        });
        with("256 MB of memory", LARGE, count, (held, laps) -> {
            laps.lap(Measure.PAUSE_LARGE, held.capture());
            laps.lap(Measure.RESTORE_LARGE, held.copy());
            laps.lap(Measure.FORK_LARGE, held.fork());
        });
        with("200 processes", MANY, count, (held, laps) -> laps.lap(Measure.PAUSE_MANY, held.capture()));
        with("copies at once", SMALL, 1, (held, laps) -> {
            held.capture();
            laps.lap(Measure.COPIES, held.copies(copies));
        });
    }

    private void with(String title, Load load, int times, Work work) throws IOException {
        List<Open> open = new ArrayList<>();
        try {
            for (Capturing contender : contenders) {
                open.add(new Open(contender.who(), contender.hold(load)));
            }
            rounds.run(title, SHARE, open, Math.min(1, times - 1), times, (each, laps) -> work.run(each.held(), laps));
        } finally {
            for (Open each : open) {
                each.held().close();
            }
        }
    }

    private record Open(Who who, Held held) implements Rounds.Entrant {}
}
