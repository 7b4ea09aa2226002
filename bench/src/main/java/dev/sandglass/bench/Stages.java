package dev.sandglass.bench;

import dev.sandglass.bench.Contender.Running;
import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Results.Who;
import dev.sandglass.bench.report.Size;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The measurements beside the raw engines, one after the other. */
final class Stages {
    private static final int MOST_WARM_UP = 3;
    /** For each round that is measured: some hundred sandboxes before fifteen rounds. */
    private static final Duration WARM_UP = Duration.ofSeconds(1);
    private static final int LIVES = 3;
    private static final Duration REST = Duration.ofMillis(300);

    /** An exec is so short that a round has several. */
    private static final int EXECS = 4;

    private static final int FLOORS = 20;
    private static final int MOST_FILE_ROUNDS = 3;
    private static final int MOST_CROWD_ROUNDS = 2;

    private final List<Contender> contenders;
    private final Rounds rounds;
    private final int count;
    private final Size size;

    Stages(List<Contender> contenders, Rounds rounds, int count, Size size) {
        this.contenders = contenders;
        this.rounds = rounds;
        this.count = count;
        this.size = size;
    }

    void run() throws IOException {
        warm();
        rounds.run("create, run, destroy", 0.3, contenders, warmUp(), count, Stages::lives);
        List<Open> open = new ArrayList<>();
        try {
            for (Contender contender : contenders) {
                open.add(new Open(contender.who(), contender.start()));
            }
            exec(open);
            floor(open);
            rounds.run("execs at once", 0.1, open, 0, Math.min(MOST_CROWD_ROUNDS, count), this::swarm);
            files(open);
        } finally {
            for (Open each : open) {
                each.sandbox().close();
            }
        }
        rounds.run("creates at once", 0.2, contenders, 0, Math.min(MOST_CROWD_ROUNDS, count), this::crowd);
    }

    /** A daemon runs for weeks, and is measured as it is when the hot parts of its code are compiled; nothing else would gain. */
    private void warm() throws IOException {
        List<Contender> daemons = contenders.stream().filter(SandglassContender.class::isInstance).toList();
        rounds.run("warm-up", 0.5, daemons, 0, count, (contender, _) -> {
            long end = System.nanoTime() + WARM_UP.toNanos();
            do {
                contender.life((_, _) -> {});
            } while (System.nanoTime() < end);
        });
    }

    /** In a row, so that what a contender does ahead for the next one counts as its own; then a rest, so that it is over for the others. */
    private static void lives(Contender contender, Laps laps) throws IOException {
        for (int i = 0; i < LIVES; i++) {
            contender.life(laps);
        }
        LockSupport.parkNanos(REST.toNanos());
    }

    private int warmUp() {
        return Math.min(MOST_WARM_UP, count - 1);
    }

    private void exec(List<Open> open) throws IOException {
        rounds.run("exec", 0.15, open, warmUp(), count, (each, laps) -> {
            for (int i = 0; i < EXECS; i++) {
                long begun = System.nanoTime();
                each.sandbox().exec();
                laps.lap(Measure.EXEC, System.nanoTime() - begun);
            }
        });
    }

    private void floor(List<Open> open) throws IOException {
        rounds.run("start inside", 0.05, open, 0, 1, (each, laps) -> {
            for (long nanos : each.sandbox().startsInside(FLOORS)) {
                laps.lap(Measure.FLOOR, nanos);
            }
        });
    }

    private void files(List<Open> open) throws IOException {
        Content content = new Content(size.fileMegabytes());
        rounds.run("files", 0.1, open, Math.min(1, count - 1), Math.min(MOST_FILE_ROUNDS, count), (each, laps) -> {
            long begun = System.nanoTime();
            each.sandbox().write(content);
            long written = System.nanoTime();
            long length = each.sandbox().read();
            laps.lap(Measure.WRITE, written - begun);
            laps.lap(Measure.READ, System.nanoTime() - written);
            if (length != content.length()) {
                throw new IOException(each.who().name() + " gave back " + length + " of " + content.length() + " bytes");
            }
        });
    }

    private void swarm(Open each, Laps laps) throws IOException {
        List<AtOnce.Task<Integer>> tasks = new ArrayList<>();
        List<Running> connections = new ArrayList<>();
        for (int i = 0; i < Size.EXECS_AT_ONCE; i++) {
            Running own = each.sandbox().beside();
            connections.add(own);
            int share = (size.execs() + i) / Size.EXECS_AT_ONCE;
            tasks.add(() -> {
                for (int done = 0; done < share; done++) {
                    own.exec();
                }
                return share;
            });
        }
        try {
            long begun = System.nanoTime();
            AtOnce.run(Size.EXECS_AT_ONCE, tasks);
            laps.lap(Measure.SWARM, System.nanoTime() - begun);
        } finally {
            for (Running connection : connections) {
                connection.close();
            }
        }
    }

    /** Only the start is timed. */
    private void crowd(Contender contender, Laps laps) throws IOException {
        long begun = System.nanoTime();
        List<Running> started = AtOnce.run(Size.CREATES_AT_ONCE, Collections.nCopies(size.creates(), contender::start));
        laps.lap(Measure.CROWD, System.nanoTime() - begun);
        List<AtOnce.Task<Running>> ends = new ArrayList<>();
        for (Running running : started) {
            ends.add(() -> {
                running.close();
                return running;
            });
        }
        AtOnce.run(Size.CREATES_AT_ONCE, ends);
    }

    /** A contender's running sandbox. */
    private record Open(Who who, Running sandbox) implements Rounds.Entrant {}
}
