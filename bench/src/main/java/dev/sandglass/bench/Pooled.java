package dev.sandglass.bench;

import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Results.Part;
import dev.sandglass.bench.report.Results.Who;
import dev.sandglass.bench.report.Size;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxPool;
import dev.sandglass.wire.SetPool;
import dev.sandglass.wire.Snapshot;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** The measurements of sandboxes that wait in a pool, beside those that are begun when somebody wants one: from the request to the first output of a command. */
final class Pooled {
    private static final Map<String, String> LABELS = Map.of(SandglassContender.LABEL, "true");
    private static final int MOST_ROUNDS = 15;
    private static final int MOST_CROWD_ROUNDS = 3;
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final Duration REST = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final List<SandglassContender> contenders;
    private final Client client;
    private final Rounds rounds;
    private final int count;
    private final int atOnce;

    Pooled(List<Contender> contenders, Client client, Rounds rounds, int count, Size size) {
        this.contenders = contenders.stream().filter(SandglassContender.class::isInstance).map(SandglassContender.class::cast).toList();
        this.client = client;
        this.rounds = rounds;
        this.count = Math.min(MOST_ROUNDS, count);
        this.atOnce = size.creates();
    }

    /** Measures it, and gives back who took part, in the order in which they are shown. */
    List<Who> run() throws IOException {
        List<Entrant> all = new ArrayList<>();
        try {
            for (SandglassContender contender : contenders) {
                String runtime = contender.who().family();
                all.add(entrant(runtime, contender.captures(), true));
                all.add(entrant(runtime, contender.captures(), false));
            }
            rounds.run("from a pool", 0.2, all, Math.min(1, count - 1), count, (each, laps) -> {
                each.keep(1);
                laps.lap(Measure.READY, each.first());
            });
            rounds.run("from a pool at once", 0.2, all, 0, Math.min(MOST_CROWD_ROUNDS, count), (each, laps) -> {
                each.keep(atOnce);
                for (long nanos : AtOnce.<Long>run(atOnce, Collections.nCopies(atOnce, each::first))) {
                    laps.lap(Measure.READY_MANY, nanos);
                }
                each.keep(0);
            });
            return all.stream().map(Entrant::who).toList();
        } finally {
            all.forEach(Entrant::close);
        }
    }

    /** A snapshot of its own, with memory where the runtime captures it. */
    private Entrant entrant(String runtime, boolean captures, boolean pooled) {
        Sandbox origin = client.create(CreateSandbox.of(runtime, null, LABELS));
        try {
            Snapshot snapshot = client.snapshot(origin.id(), new CreateSnapshot(null, null, LABELS, !captures, null));
            String family = runtime + ", pools";
            return new Entrant(new Who("sandglass " + runtime + (pooled ? ", pool" : ", no pool"), family, pooled ? Part.OURS : Part.BASELINE), client, snapshot.id(), pooled);
        } finally {
            client.destroy(origin.id());
        }
    }

    private record Entrant(Who who, Client client, String snapshot, boolean pooled) implements Rounds.Entrant {
        /** Returns when so many wait, and nothing is done for them any more. */
        void keep(int wanted) throws IOException {
            if (!pooled) {
                return;
            }
            client.pools().set(snapshot, new SetPool((long) wanted, null, null));
            long end = System.nanoTime() + PATIENCE.toNanos();
            for (SandboxPool pool = client.pools().get(snapshot); pool.ready() != wanted || pool.filling() > 0; pool = client.pools().get(snapshot)) {
                if (System.nanoTime() > end) {
                    throw new IOException(who.name() + ": " + pool.ready() + " of " + wanted + " wait: " + pool.problem());
                }
                LockSupport.parkNanos(LOOK.toNanos());
            }
            LockSupport.parkNanos(REST.toNanos());
        }

        /** From the request to the first output. */
        long first() throws IOException {
            try (Client own = client.again()) {
                long begun = System.nanoTime();
                String id = own.create(CreateSandbox.from(snapshot, LABELS)).id();
                CommandResult result = own.run(id, new RunCommand(List.of("echo", "here"), null, null, null, null, null, null));
                long taken = System.nanoTime() - begun;
                own.destroy(id);
                if (!result.stdout().equals("here\n")) {
                    throw new IOException(who.name() + " said " + result);
                }
                return taken;
            }
        }

        void close() {
            if (pooled) {
                client.pools().delete(snapshot);
            }
            client.deleteSnapshot(snapshot);
        }
    }
}
