package dev.sandglass.engine.operation;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.OperationRecord;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ImageInfo;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The operations of this machine. Thread-safe. */
public final class Operations implements AutoCloseable {
    private static final int AT_ONCE = 256;
    private static final int RECENT = 300;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Ledger ledger;
    private final Function<String, Optional<Sandbox>> found;
    /** What is at work, and what has ended lately. */
    private final Map<String, Work> works = new LinkedHashMap<>();

    /**
     * Takes over what an earlier daemon left at work: it has done what it was to do, or failed.
     *
     * @param found the sandbox with that id if it came to run and is still there
     */
    public Operations(Ledger ledger, Function<String, Optional<Sandbox>> found) {
        this.ledger = ledger;
        this.found = found;
        for (OperationRecord cutOff : ledger.openOperations()) {
            Optional<Sandbox> made = cutOff.sandbox().flatMap(sandbox -> found.apply(sandbox.text()));
            ledger.keep(new OperationRecord(settled(cutOff.status(), made), cutOff.sandbox()));
        }
    }

    private static OperationStatus settled(OperationStatus begun, Optional<Sandbox> made) {
        Problem problem = made.isPresent()
                ? null
                : new Problem(
                        ErrorCode.OPERATION_INTERRUPTED.text(),
                        "The daemon ended while the operation " + begun.id() + " (" + begun.kind() + ") was at work; what it had begun was undone.",
                        "Send the request again; with an Idempotency-Key it is done once however often it is sent.");
        return new OperationStatus(
                begun.id(),
                begun.kind(),
                made.isPresent() ? "succeeded" : "failed",
                1,
                null,
                begun.startedAt(),
                Instant.now().truncatedTo(ChronoUnit.MILLIS),
                begun.steps(),
                made.orElse(null),
                problem,
                null);
    }

    /** Begins work that goes on when the caller leaves. */
    public OperationStatus start(String kind, Callable<Sandbox> work) {
        return begin(kind, () -> Outcome.of(work.call()));
    }

    /** The same of work that brings an image. */
    public OperationStatus startImage(String kind, Callable<ImageInfo> work) {
        return begin(kind, () -> Outcome.of(work.call()));
    }

    private OperationStatus begin(String kind, Callable<Outcome> work) {
        byte[] random = new byte[6];
        RANDOM.nextBytes(random);
        String id = "op-" + HexFormat.of().formatHex(random);
        Work begun = new Work(id, kind, ledger::keep);
        synchronized (works) {
            if (works.values().stream().filter(Work::running).count() >= AT_ONCE) {
                throw new SandglassException(
                        ErrorCode.LIMIT_REACHED, "There are " + AT_ONCE + " operations at work.", "Wait for one to end.");
            }
            works.entrySet().stream()
                    .filter(entry -> !entry.getValue().running())
                    .map(Map.Entry::getKey)
                    .limit(Math.max(0, works.size() - RECENT + 1))
                    .toList()
                    .forEach(works::remove);
            works.put(id, begun);
        }
        try {
            ledger.keep(begun.record());
        } catch (SandglassException unwritten) {
            synchronized (works) {
                works.remove(id);
            }
            throw unwritten;
        }
        Thread.ofVirtual().name(id).start(() -> begun.run(work));
        return begun.progress().status();
    }

    public OperationStatus get(String id) {
        Work known = find(id);
        return whole(known != null ? known.progress().status() : kept(id));
    }

    /** The operation once it has changed after that version or has ended, or as it is when the time is over. */
    public Progress await(String id, long seen, Duration patience) throws InterruptedException {
        Work known = find(id);
        Progress progress = known != null ? known.await(seen, patience) : new Progress(0, kept(id));
        return new Progress(progress.version(), whole(progress.status()));
    }

    /** With the environment of its sandbox, as long as there is that. */
    private OperationStatus whole(OperationStatus status) {
        Sandbox made = status.sandbox();
        return made == null ? status : found.apply(made.id()).map(now -> status.withSandbox(made.withEnv(now.env()))).orElse(status);
    }

    private @Nullable Work find(String id) {
        synchronized (works) {
            return works.get(id);
        }
    }

    private OperationStatus kept(String id) {
        return ledger.operation(id)
                .orElseThrow(() -> new SandglassException(
                        ErrorCode.OPERATION_NOT_FOUND,
                        "There is no operation " + id + ".",
                        "It never was, or it ended long ago. List the sandboxes to see what there is."))
                .status();
    }

    /** Gives what is at work some time to come to its end; what does not is undone by the next daemon. */
    @Override
    public void close() {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        List<Work> open;
        synchronized (works) {
            open = works.values().stream().filter(Work::running).toList();
        }
        try {
            for (Work work : open) {
                while (work.running() && System.nanoTime() < deadline) {
                    work.await(Long.MAX_VALUE, Duration.ofNanos(deadline - System.nanoTime()));
                }
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
