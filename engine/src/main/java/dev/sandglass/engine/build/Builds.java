package dev.sandglass.engine.build;

import dev.sandglass.engine.ledger.BuildLedger;
import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildOutput;
import dev.sandglass.wire.BuildStep;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The builds of this machine. Thread-safe. */
public final class Builds implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Builds.class);
    private static final int AT_ONCE = 32;
    private static final int RECENT = 40;
    private static final int MOST_LISTED = 100;
    private static final int PIECE = 1 << 14;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final BuildLedger ledger;
    private final Ledger events;
    /** What is at work, and what has ended lately, with the threads that do it. */
    private final Map<String, RunningBuild> known = new LinkedHashMap<>();
    /** Those at work by what they make: who wants the same joins. */
    private final Map<String, RunningBuild> shared = new LinkedHashMap<>();
    private final Map<String, Thread> threads = new LinkedHashMap<>();
    private boolean closed;

    /** Writes off what an earlier daemon left at work. */
    public Builds(Ledger ledger) {
        this.ledger = ledger.builds();
        this.events = ledger;
        for (Build cutOff : this.ledger.open()) {
            Problem problem = new Problem(
                    ErrorCode.OPERATION_INTERRUPTED.text(),
                    "The daemon ended while the build " + cutOff.id() + " (" + cutOff.kind() + " " + cutOff.subject() + ") was at work.",
                    cutOff.kind().equals("provision") ? "Install the components again: what is there is found quickly." : "Build it again: steps that were done are not repeated.");
            this.ledger.keep(
                    new Build(
                            cutOff.id(), cutOff.kind(), cutOff.subject(), "failed", cutOff.sandbox(), cutOff.steps(), cutOff.warnings(), null, null, problem, cutOff.startedAt(),
                            Instant.now().truncatedTo(ChronoUnit.MILLIS)),
                    "");
        }
    }

    /** The id of a build that is to be. */
    public String reserve() {
        byte[] random = new byte[6];
        RANDOM.nextBytes(random);
        return "build-" + HexFormat.of().formatHex(random);
    }

    /**
     * Begins work that goes on when the caller leaves; or joins the build that makes the same.
     *
     * @param id that was reserved for it
     * @param what makes the same where it is the same; none to have it done in any case
     * @param work fails by throwing
     */
    public RunningBuild start(String id, String kind, String subject, Optional<String> what, Consumer<RunningBuild> work) {
        RunningBuild build = new RunningBuild(id, kind, subject, ledger::keep, this::tell);
        synchronized (this) {
            Optional<RunningBuild> same = what.map(shared::get);
            if (same.isPresent()) {
                return same.get();
            }
            requireRoom();
            ledger.keep(build.build(), "");
            what.ifPresent(key -> shared.put(key, build));
            known.put(build.id(), build);
            threads.put(build.id(), Thread.ofVirtual().name(build.id()).unstarted(() -> run(build, what, work)));
        }
        thread(build).start();
        return build;
    }

    /** Among the events of its sandbox; what cannot be told keeps no build from going on. */
    private void tell(Build build, BuildStep step) {
        String sandbox = build.sandbox();
        if (sandbox != null) {
            String name = build.kind().equals("template") ? build.id() : build.subject();
            try {
                events.add(new SandboxId(sandbox), name, new Change("build.step", Map.of("build", build.id(), "subject", build.subject(), "step", step.name(), "state", step.state())));
            } catch (SandglassException untold) {
                LOG.warn("A step of {} is not among the events: {}", build.id(), untold.what());
            }
        }
    }

    private synchronized Thread thread(RunningBuild build) {
        return Objects.requireNonNull(threads.get(build.id()));
    }

    private void requireRoom() {
        if (closed) {
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.");
        }
        if (threads.size() >= AT_ONCE) {
            throw new SandglassException(ErrorCode.LIMIT_REACHED, "There are " + AT_ONCE + " builds at work.", "Wait for one to end.");
        }
        known.values().stream().filter(each -> !each.running()).map(RunningBuild::id).limit(Math.max(0, known.size() - RECENT + 1)).toList().forEach(known::remove);
    }

    private void run(RunningBuild build, Optional<String> what, Consumer<RunningBuild> work) {
        Optional<SandglassException> problem = Optional.empty();
        try {
            work.accept(build);
        } catch (SandglassException failed) {
            problem = Optional.of(failed);
        } catch (Throwable unforeseen) { // whatever it is, those who wait must hear of it
            LOG.error("The build {} failed", build.id(), unforeseen);
            problem = Optional.of(new SandglassException(ErrorCode.INTERNAL, "The build " + build.id() + " failed.", "The daemon's log has the details.", unforeseen));
        }
        synchronized (this) {
            what.ifPresent(shared::remove);
        }
        try {
            build.end(problem);
        } catch (RuntimeException unwritten) {
            LOG.error("The end of the build {} is known only until the daemon ends", build.id(), unwritten);
        }
        synchronized (this) {
            threads.remove(build.id());
        }
    }

    public Build get(String id) {
        RunningBuild live = live(id);
        return live != null ? live.build() : kept(id);
    }

    /** The newest first, or those about one template or sandbox. */
    public List<Build> list(Optional<String> subject) {
        return ledger.list(subject, MOST_LISTED).stream().map(build -> build.endedAt() == null ? get(build.id()) : build).toList();
    }

    /** What it printed, the end of it if that was much. */
    public String log(String id) {
        RunningBuild live = live(id);
        kept(id);
        return live != null ? live.log() : ledger.log(id).orElse("");
    }

    /** Whether something that is about that template or sandbox is at work. */
    public synchronized boolean isAtWork(String kind, String subject) {
        return known.values().stream().anyMatch(each -> each.running() && each.subject().equals(subject) && each.build().kind().equals(kind));
    }

    /** What has changed and was printed since; waits for something, or until the time is over. */
    public RunningBuild.View await(String id, long version, long position, Duration patience) throws InterruptedException {
        RunningBuild live = live(id);
        if (live != null) {
            return live.await(version, position, patience);
        }
        Build build = kept(id);
        String log = position == 0 ? ledger.log(id).orElse("") : "";
        return new RunningBuild.View(Long.MAX_VALUE, Long.MAX_VALUE, build, pieces(log));
    }

    private static List<BuildOutput> pieces(String log) {
        List<BuildOutput> pieces = new ArrayList<>();
        for (int from = 0; from < log.length(); from += PIECE) {
            pieces.add(new BuildOutput("", log.substring(from, Math.min(log.length(), from + PIECE)), null));
        }
        return pieces;
    }

    private synchronized @Nullable RunningBuild live(String id) {
        return known.get(id);
    }

    private Build kept(String id) {
        return ledger.find(id).orElseThrow(() -> new SandglassException(
                ErrorCode.BUILD_NOT_FOUND, "There is no build " + id + ".", "It never was, or it ended long ago; `sandglass template history` tells what there is."));
    }

    /** Ends what is at work: what it made is taken away, by the next daemon at the latest. */
    @Override
    public void close() {
        List<Thread> open;
        synchronized (this) {
            closed = true;
            open = List.copyOf(threads.values());
        }
        open.forEach(Thread::interrupt);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try {
            for (Thread thread : open) {
                thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
