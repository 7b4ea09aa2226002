package dev.sandglass.engine.build;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildOutput;
import dev.sandglass.wire.BuildStep;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A build at work, or one that has ended lately. Thread-safe. */
public final class RunningBuild {
    /** What somebody sees of a build who follows it. */
    public record View(long version, long position, Build build, List<BuildOutput> output) {}

    /** The state of a step. */
    private static final class Step {
        private final String name;
        private String state = "waiting";
        private long begunNanos;
        private @Nullable Double seconds;
        private @Nullable String message;
        private @Nullable String hint;

        Step(String name) {
            this.name = name;
        }
    }

    private final String id;
    private final String kind;
    private final String subject;
    private final Instant startedAt = now();
    private final BuildLog log = new BuildLog();
    private final List<Step> steps = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final BiConsumer<Build, String> keep;
    private final BiConsumer<Build, BuildStep> events;
    private boolean keepsSandbox;
    private @Nullable String sandbox;
    private @Nullable String snapshot;
    private @Nullable Long made;
    private @Nullable Problem error;
    private @Nullable Instant endedAt;
    private long version;

    /**
     * @param keep writes down what it has come to, and the end of its log
     * @param events is told of each step that begins or ends in a sandbox
     */
    RunningBuild(String id, String kind, String subject, BiConsumer<Build, String> keep, BiConsumer<Build, BuildStep> events) {
        this.id = id;
        this.kind = kind;
        this.subject = subject;
        this.keep = keep;
        this.events = events;
    }

    public String id() {
        return id;
    }

    public String subject() {
        return subject;
    }

    /** Tells which steps there will be. */
    public synchronized void plan(List<String> names) {
        names.forEach(name -> steps.add(new Step(name)));
        changed();
    }

    public synchronized void warn(String warning) {
        warnings.add(warning);
        log.add("", "warning: " + warning + "\n");
        changed();
    }

    /** Notes the sandbox in which it happens, durably: so somebody finds what an end of the daemon left. */
    public void in(String sandboxId) {
        synchronized (this) {
            sandbox = sandboxId;
            changed();
        }
        keep.accept(build(), "");
    }

    /** The same of one that is there for the build alone, and is taken away again where it cannot be noted. */
    public void in(String sandboxId, Runnable takeAway) {
        try {
            in(sandboxId);
        } catch (RuntimeException problem) {
            try {
                takeAway.run();
            } catch (RuntimeException other) {
                problem.addSuppressed(other);
            }
            throw problem;
        }
    }

    /** Wants its sandbox to stay if it fails; one of those who wait for the same build is enough. */
    public synchronized void keepSandbox() {
        keepsSandbox = true;
    }

    public synchronized boolean keepsSandbox() {
        return keepsSandbox;
    }

    public void print(String step, String text) {
        if (text.isEmpty()) {
            return; // there is nothing for which followers should wake up
        }
        log.add(step, text);
        synchronized (this) {
            changed();
        }
    }

    /** The last lines that a step printed. */
    public String lastLines(String step) {
        return log.lastLines(step);
    }

    public void begin(String name) {
        synchronized (this) {
            Step step = step(name);
            step.state = "running";
            step.begunNanos = System.nanoTime();
            changed();
        }
        tell(name);
    }

    private void tell(String name) {
        Build now = build();
        if (now.sandbox() != null) {
            now.steps().stream().filter(step -> step.name().equals(name)).findFirst().ifPresent(step -> events.accept(now, step));
        }
    }

    /** @param state {@code done}, {@code cached} or {@code skipped} */
    public void end(String name, String state, @Nullable String message) {
        end(name, state, message, null);
    }

    public void fail(String name, SandglassException problem) {
        end(name, "failed", problem.what(), problem.hint());
    }

    private void end(String name, String state, @Nullable String message, @Nullable String hint) {
        synchronized (this) {
            Step step = step(name);
            step.state = state;
            step.message = message;
            step.hint = hint;
            step.seconds = step.begunNanos == 0 ? null : Math.round((System.nanoTime() - step.begunNanos) / 1e7) / 100.0;
            changed();
        }
        tell(name);
    }

    /** What a template became. */
    public synchronized void result(String snapshotId, long number) {
        snapshot = snapshotId;
        made = number;
        changed();
    }

    private Step step(String name) {
        return steps.stream().filter(step -> step.name.equals(name)).findFirst().orElseThrow();
    }

    /** Written down before anybody is told: what somebody saw of it stays. */
    void end(Optional<SandglassException> problem) {
        Build ended;
        synchronized (this) {
            problem.ifPresent(_ -> steps.stream().filter(step -> step.state.equals("waiting") || step.state.equals("running")).forEach(step -> step.state = "skipped"));
            ended = build(problem.map(SandglassException::toProblem).orElse(null), now());
        }
        try {
            keep.accept(ended, log.text());
        } finally {
            synchronized (this) {
                error = ended.error();
                endedAt = ended.endedAt();
                changed();
            }
        }
    }

    public synchronized boolean running() {
        return endedAt == null;
    }

    public synchronized Build build() {
        return build(error, endedAt);
    }

    private Build build(@Nullable Problem problem, @Nullable Instant end) {
        String state = end == null ? "running" : problem == null ? "succeeded" : "failed";
        List<BuildStep> shown = steps.stream().map(step -> new BuildStep(step.name, step.state, step.seconds, step.message, step.hint)).toList();
        return new Build(id, kind, subject, state, sandbox, shown, List.copyOf(warnings), snapshot, made, problem, startedAt, end);
    }

    String log() {
        return log.text();
    }

    /** What has changed and was printed since; waits for something, or until the time is over. */
    synchronized View await(long seen, long position, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (version <= seen && endedAt == null) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            wait(Math.max(1, left / 1_000_000));
        }
        List<BuildOutput> output = log.after(position);
        long printed = output.stream().mapToLong(piece -> piece.text().length() + Objects.requireNonNullElse(piece.dropped(), 0L)).sum();
        return new View(version, position + printed, build(), output);
    }

    /**
     * The build when it has ended.
     *
     * @param begun told of each step that begins meanwhile; it must be quick
     */
    public synchronized Build awaitEnd(Consumer<String> begun) {
        String told = "";
        try {
            while (endedAt == null) {
                String now = steps.stream().filter(step -> step.state.equals("running")).map(step -> step.name).findFirst().orElse(told);
                if (!now.equals(told)) {
                    told = now;
                    begun.accept(now);
                }
                wait();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "Nobody waits for the build " + id + " any more.", "It goes on: look at it with `sandglass template build`.", stopped);
        }
        return build();
    }

    private void changed() {
        version++;
        notifyAll();
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }
}
