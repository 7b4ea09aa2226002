package dev.sandglass.bench;

import dev.sandglass.bench.Contender.Running;
import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Results.Who;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The measurements, one after the other. */
final class Stages {
    private static final int MOST_WARM_UP = 3;
    /** An exec is so short that a round has several. */
    private static final int EXECS = 4;

    private static final int MOST_FILE_ROUNDS = 3;
    private static final int MOST_CROWD_ROUNDS = 3;

    private final List<Contender> contenders;
    private final Rounds rounds;
    private final int count;

    Stages(List<Contender> contenders, Rounds rounds, int count) {
        this.contenders = contenders;
        this.rounds = rounds;
        this.count = count;
    }

    void run() throws IOException {
        rounds.run("create, run, destroy", 0.5, contenders, warmUp(), count, Contender::life);
        List<Open> open = new ArrayList<>();
        try {
            for (Contender contender : contenders) {
                open.add(new Open(contender.who(), contender.start()));
            }
            exec(open);
            files(open);
        } finally {
            for (Open each : open) {
                each.sandbox().close();
            }
        }
        rounds.run("create at once", 0.15, contenders, 0, Math.min(MOST_CROWD_ROUNDS, count), Stages::crowd);
    }

    private int warmUp() {
        return Math.min(MOST_WARM_UP, count - 1);
    }

    private void exec(List<Open> open) throws IOException {
        rounds.run("exec", 0.2, open, warmUp(), count, (each, laps) -> {
            for (int i = 0; i < EXECS; i++) {
                long begun = System.nanoTime();
                each.sandbox().exec();
                laps.lap(Measure.EXEC, System.nanoTime() - begun);
            }
        });
    }

    private void files(List<Open> open) throws IOException {
        byte[] content = new byte[Measure.FILE_BYTES];
        new Random(1).nextBytes(content);
        rounds.run("files", 0.15, open, 0, Math.min(MOST_FILE_ROUNDS, count), (each, laps) -> {
            long begun = System.nanoTime();
            each.sandbox().write(content);
            long written = System.nanoTime();
            long length = each.sandbox().read();
            laps.lap(Measure.WRITE, written - begun);
            laps.lap(Measure.READ, System.nanoTime() - written);
            if (length != content.length) {
                throw new IOException(each.who().name() + " gave back " + length + " of " + content.length + " bytes");
            }
        });
    }

    /** Only the start is timed. */
    private static void crowd(Contender contender, Laps laps) throws IOException {
        long begun = System.nanoTime();
        List<Running> started = atOnce(Collections.nCopies(Measure.CROWD_SIZE, contender::start));
        laps.lap(Measure.CROWD, System.nanoTime() - begun);
        List<Callable<Void>> ends = new ArrayList<>();
        for (Running running : started) {
            ends.add(() -> {
                running.close();
                return null;
            });
        }
        atOnce(ends);
    }

    /** Does all of it on threads of its own and waits for the last. */
    private static <T> List<T> atOnce(List<Callable<T>> tasks) throws IOException {
        List<T> done = new ArrayList<>();
        try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            for (Future<T> each : threads.invokeAll(tasks)) {
                done.add(each.get());
            }
            return done;
        } catch (ExecutionException problem) {
            throw new IOException(String.valueOf(problem.getCause()), problem);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        }
    }

    /** A contender's running sandbox. */
    private record Open(Who who, Running sandbox) implements Rounds.Entrant {}
}
