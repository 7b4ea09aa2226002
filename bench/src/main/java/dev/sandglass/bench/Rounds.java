package dev.sandglass.bench;

import dev.sandglass.bench.report.Results;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Lets contenders work in turn, round by round, each round beginning with another one. */
public final class Rounds {
    /** What a contender does in a round. */
    interface Work<C> {
        void run(C contender, Laps laps) throws IOException;
    }

    private static final int LEAST = 2;

    private final Results results;
    private final Interruption interruption;
    private final Progress progress;
    private final Duration budget;

    /** @param budget how long all stages may take together; the first rounds of each are held whatever it says */
    Rounds(Results results, Interruption interruption, Progress progress, Duration budget) {
        this.results = results;
        this.interruption = interruption;
        this.progress = progress;
        this.budget = budget;
    }

    /**
     * Holds a stage of rounds.
     *
     * @param share of the budget, which ends it early
     * @param warmUp rounds before those that count
     */
    <C extends Entrant> void run(String title, double share, List<C> entrants, int warmUp, int count, Work<C> work)
            throws IOException {
        long deadline = System.nanoTime() + (long) (share * budget.toNanos());
        for (int round = -warmUp; round < count; round++) {
            if (round >= LEAST && System.nanoTime() - deadline > 0) {
                break;
            }
            boolean counts = round >= 0;
            progress.show(title, round + warmUp, count + warmUp);
            for (int i = 0; i < entrants.size(); i++) {
                interruption.check();
                C entrant = entrants.get(Math.floorMod(i + round, entrants.size()));
                work.run(entrant, (measure, nanos) -> {
                    if (counts) {
                        results.add(measure, entrant.who(), nanos);
                    }
                });
            }
        }
        progress.clear();
    }

    /** Whoever takes part. */
    public interface Entrant {
        Results.Who who();
    }
}
