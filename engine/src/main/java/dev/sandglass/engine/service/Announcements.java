package dev.sandglass.engine.service;

import dev.sandglass.engine.guest.ServiceFacts;
import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.SandglassException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the ledger what becomes of services. What happens in a sandbox is nobody's order, so each has an allowance: one that fails again and again is told of less and
 * less often, with the number of what was left out. Thread-safe; who tells of a change never waits.
 */
final class Announcements implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Announcements.class);
    /** Services of a sandbox that are told apart. */
    private static final int KNOWN = 256;

    private final Ledger ledger;
    private final Map<SandboxId, Allowance> allowances = new ConcurrentHashMap<>();
    /** One for all, so that what happened first is told first. What waits for it is bounded by the allowances. */
    private final ExecutorService writer = Executors.newSingleThreadExecutor(Thread.ofVirtual().name("service-events").factory());

    Announcements(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Who is told of the changes of a sandbox for as long as a link lasts; by one thread. */
    Consumer<ServiceFacts> of(LiveSandbox in) {
        Instant since = Instant.now();
        Map<String, Course> courses = new HashMap<>();
        return facts -> {
            Course course = courses.size() < KNOWN ? courses.computeIfAbsent(facts.name(), _ -> new Course(since)) : courses.get(facts.name());
            if (course != null) {
                course.next(facts).forEach(change -> tell(in, change));
            }
        };
    }

    void forget(SandboxId id) {
        allowances.remove(id);
    }

    private void tell(LiveSandbox in, Change change) {
        Allowance allowance = allowances.computeIfAbsent(in.id(), _ -> new Allowance());
        allowance.take(System.nanoTime()).ifPresent(leftOut -> {
            Map<String, String> data = new LinkedHashMap<>(change.data());
            if (leftOut > 0) {
                data.put("left_out", String.valueOf(leftOut));
            }
            try {
                writer.execute(() -> write(in, new Change(change.type(), data)));
            } catch (RejectedExecutionException stopping) {
                LOG.debug("not told: {}", change, stopping);
            }
        });
    }

    private void write(LiveSandbox in, Change change) {
        try {
            ledger.add(in.id(), in.name(), change);
        } catch (SandglassException problem) {
            LOG.warn("A service of {} is missing among the events: {}", in.name(), problem.what());
        }
    }

    /** What was told is written first. */
    @Override
    public void close() {
        writer.shutdown();
        try {
            if (!writer.awaitTermination(5, TimeUnit.SECONDS)) {
                LOG.warn("What became of services just now is missing among the events");
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
