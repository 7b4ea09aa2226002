package dev.sandglass.engine.snapshot;

import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ForkSandbox;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes several sandboxes at once that begin with one snapshot: all of them, or none. */
final class Forking {
    private static final Logger LOG = LoggerFactory.getLogger(Forking.class);
    private static final int MOST = 100;
    private static final int AT_ONCE = 8;
    private static final String COPIED = "fork";

    private final Sandboxes sandboxes;
    private final ForkSandbox request;
    private final Optional<Sandbox> source;
    private final Map<String, String> env;
    private final int count;
    private final Optional<IdempotencyKey> key;
    private final String volumesFrom;

    /**
     * @param source the sandbox that they are as, in what the request leaves open
     * @param key is written to the ledger with the word that all are there
     */
    Forking(Sandboxes sandboxes, ForkSandbox request, Optional<Sandbox> source, Optional<IdempotencyKey> key) {
        this.key = key;
        this.sandboxes = sandboxes;
        this.request = request;
        this.source = source;
        this.env = new HashMap<>(source.map(Sandbox::env).orElse(Map.of()));
        if (request.env() != null) {
            this.env.putAll(request.env());
        }
        this.volumesFrom = request.volumesFrom() == null ? COPIED : request.volumesFrom();
        this.count = request.count() == null ? 1 : request.count();
        if (count < 1 || count > MOST) {
            throw Rules.invalid("count", String.valueOf(count), "1 to " + MOST);
        }
    }

    /** Whether each copy gets volumes of its own. */
    boolean copiesVolumes() {
        return volumesFrom.equals(COPIED);
    }

    List<Sandbox> from(SnapshotRecord snapshot) {
        Semaphore turns = new Semaphore(AT_ONCE);
        List<Sandbox> made = new ArrayList<>();
        RuntimeException failure = null;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Sandbox>> children = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                CreateSandbox child = child(snapshot, i);
                children.add(threads.submit(() -> inTurn(turns, child)));
            }
            for (Future<Sandbox> child : children) {
                try {
                    made.add(child.get());
                } catch (ExecutionException problem) {
                    failure = problem.getCause() instanceof RuntimeException known ? known : new IllegalStateException(problem.getCause());
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            failure = new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
        if (failure != null) {
            made.forEach(this::discard);
            throw failure;
        }
        Failpoint.FORK_MADE.reach();
        try {
            sandboxes.confirm(made, key);
        } catch (RuntimeException problem) {
            made.forEach(this::discard);
            throw problem;
        }
        Failpoint.FORK_CONFIRMED.reach();
        return made;
    }

    private Sandbox inTurn(Semaphore turns, CreateSandbox child) throws InterruptedException {
        turns.acquire();
        try {
            return sandboxes.createTentatively(child);
        } finally {
            turns.release();
        }
    }

    private void discard(Sandbox child) {
        try {
            sandboxes.discard(child.id());
        } catch (RuntimeException problem) {
            LOG.error("The copy {} of a fork that failed could not be taken away; it is tried again", child.id(), problem);
        }
    }

    private CreateSandbox child(SnapshotRecord snapshot, int number) {
        // Captured processes have theirs already.
        Optional<Sandbox> like = source.filter(_ -> snapshot.memory().isEmpty() || Boolean.TRUE.equals(request.diskOnly()));
        return new CreateSandbox(
                name(request.name(), number),
                source.map(Sandbox::runtime).orElse(null),
                like.map(Sandbox::security).orElse(null),
                request.memoryMb() == null ? source.map(Sandbox::memoryMb).orElse(null) : request.memoryMb(),
                request.cpus() == null ? source.map(Sandbox::cpus).orElse(null) : request.cpus(),
                source.map(Sandbox::diskMb).orElse(null),
                source.map(Sandbox::maxProcesses).orElse(null),
                env,
                request.labels(),
                like.map(Sandbox::capabilities).filter(all -> !all.isEmpty()).orElse(null),
                like.map(_ -> List.of("ALL")).orElse(null),
                request.timeout(),
                null,
                null,
                null,
                null,
                snapshot.id().text(),
                request.diskOnly(),
                null,
                null,
                null,
                null,
                null,
                null, // a copy is granted none
                request.volumes(),
                volumesFrom,
                null,
                null, // the snapshot has what its commands get
                null,
                null);
    }

    private @Nullable String name(@Nullable String asked, int number) {
        return asked == null || count == 1 ? asked : asked + "-" + number;
    }
}
