package dev.sandglass.engine.operation;

import dev.sandglass.engine.ledger.OperationRecord;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.TraceStep;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One operation. Thread-safe. */
final class Work {
    private static final Logger LOG = LoggerFactory.getLogger(Work.class);
    /** How many steps work has about; it is not done before it is. */
    private static final double USUAL_STEPS = 12;
    private static final double ALMOST = 0.95;

    private final String id;
    private final String kind;
    private final Instant startedAt = now();
    private final Consumer<OperationRecord> keep;
    private final Trace trace = new Trace(this::change, this::about);
    private volatile Optional<SandboxId> subject = Optional.empty();
    private long version;
    private @Nullable Instant endedAt;
    private Outcome outcome = Outcome.NOTHING;
    private @Nullable Problem error;

    /** @param keep writes down what the operation has come to */
    Work(String id, String kind, Consumer<OperationRecord> keep) {
        this.id = id;
        this.kind = kind;
        this.keep = keep;
    }

    OperationRecord record() {
        return new OperationRecord(progress().status(), subject);
    }

    private void about(String sandbox) {
        subject = Optional.of(new SandboxId(sandbox));
        keep.accept(record());
    }

    void run(Callable<Outcome> work) {
        try {
            end(trace.follow(work), null);
        } catch (SandglassException refused) {
            end(Outcome.NOTHING, refused.toProblem());
        } catch (Throwable unforeseen) { // whatever it is, those who wait must hear of it
            LOG.error("The operation {} failed", id, unforeseen);
            end(Outcome.NOTHING, new Problem(ErrorCode.INTERNAL.text(), "The operation " + id + " failed.", "The daemon's log has the details."));
        }
    }

    synchronized boolean running() {
        return endedAt == null;
    }

    /** As it is once it is newer than that version, or when the time is over. */
    synchronized Progress await(long seen, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (version <= seen && endedAt == null) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            wait(Math.max(1, left / 1_000_000));
        }
        return progress();
    }

    synchronized Progress progress() {
        return new Progress(version, status(endedAt, outcome, error));
    }

    private OperationStatus status(@Nullable Instant endedAt, Outcome outcome, @Nullable Problem error) {
        List<TraceStep> steps = trace.steps();
        boolean over = endedAt != null;
        String state = !over ? "running" : error == null ? "succeeded" : "failed";
        double progress = over ? 1 : Math.min(ALMOST, Math.max(trace.come(), steps.size() / USUAL_STEPS));
        String step = over || steps.isEmpty() ? null : steps.getLast().name();
        return new OperationStatus(id, kind, state, progress, step, startedAt, endedAt, steps, outcome.sandbox(), error, outcome.image());
    }

    private synchronized void change() {
        version++;
        notifyAll();
    }

    /** Written down before anybody is told: what somebody saw of it stays. */
    private void end(Outcome made, @Nullable Problem problem) {
        Instant now = now();
        OperationRecord ended = new OperationRecord(status(now, made, problem), subject);
        try {
            keep.accept(ended);
        } catch (SandglassException unwritten) {
            LOG.error("The end of the operation {} is known only until the daemon ends: {}", id, unwritten.what());
        }
        synchronized (this) {
            outcome = new Outcome(ended.status().sandbox(), made.image());
            error = problem;
            endedAt = now;
            change();
        }
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }
}
