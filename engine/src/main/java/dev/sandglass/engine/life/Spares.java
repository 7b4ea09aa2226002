package dev.sandglass.engine.life;

import dev.sandglass.engine.image.Image;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.runtime.Life;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.trace.Trace;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sandboxes that were started ahead, one per runtime, of the shape that was asked for twice in a row there: the next one like it
 * only has to be named. A spare is in no ledger, so a daemon that finds one of an earlier daemon takes it away like anything
 * that no row explains. Thread-safe; nobody waits for another's spare.
 */
final class Spares implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Spares.class);

    /** A machine on which nothing is created any more must not pay for it. */
    private static final Duration KEPT = Duration.ofMinutes(10);

    /** For one that is being made: it began before whoever waits could begin, unless something is wrong. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** A sandbox that runs, and that nobody has used; its agent was told the generation. */
    record Spare(SandboxId id, MachineProcess process, Shape shape, long generation) {}

    /**
     * Where a spare is kept.
     *
     * @param number tells it from another of its shape
     * @param spare complete when it runs; empty if it did not come to
     */
    private record Place(Shape shape, long number, CompletableFuture<Optional<Spare>> spare, ScheduledFuture<?> end) {}

    private final Construction construction;
    private final Generations generations;
    private final boolean kept;
    private final Map<String, Shape> asked = new HashMap<>();
    private final Map<String, Place> places = new HashMap<>();
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("spares").factory());
    private long placed;
    private boolean closed;

    /** @param kept whether there are to be any */
    Spares(Construction construction, Generations generations, boolean kept) {
        this.construction = construction;
        this.generations = generations;
        this.kept = kept;
        clock.setRemoveOnCancelPolicy(true);
    }

    /** The spare of that shape, which is the caller's from now on. One that is being made is waited for: it is there sooner than a new one. */
    Optional<Spare> take(Shape shape) {
        Place place;
        synchronized (this) {
            place = places.get(shape.runtime());
            if (place == null || !place.shape().equals(shape)) {
                return Optional.empty();
            }
            remove(place);
        }
        Trace.step("spare");
        try {
            Optional<Spare> spare = place.spare().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            spare.filter(found -> !lives(found)).ifPresent(this::discard);
            return spare.filter(this::lives);
        } catch (TimeoutException | ExecutionException tooLate) {
            end(place);
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            end(place);
            return Optional.empty();
        }
    }

    private boolean lives(Spare spare) {
        try {
            return construction.runtime(spare.shape().runtime()).life(spare.process()) == Life.ALIVE;
        } catch (RuntimeException unknown) {
            LOG.warn("Nobody knows whether the spare sandbox {} lives", spare.id(), unknown);
            return false;
        }
    }

    /** Notes that a sandbox was made; if it is like the one before, the next one is likely to be as well, and is made ahead. */
    void expectAnother(SandboxRecord made, Image image) {
        Shape shape = Shape.of(made);
        Optional<Place> other;
        synchronized (this) {
            boolean again = shape.equals(asked.put(shape.runtime(), shape));
            Place place = places.get(shape.runtime());
            if (!kept || closed || !again || (place != null && place.shape().equals(shape))) {
                return;
            }
            other = Optional.ofNullable(place);
            other.ifPresent(this::remove);
            put(shape, image);
        }
        other.ifPresent(this::end);
    }

    /** Called with this object's lock. */
    private void put(Shape shape, Image image) {
        CompletableFuture<Optional<Spare>> spare = new CompletableFuture<>();
        Thread.ofVirtual().name("spare-" + shape.runtime()).start(() -> make(shape, image, spare));
        long number = ++placed;
        ScheduledFuture<?> end = clock.schedule(() -> expire(number), KEPT.toSeconds(), TimeUnit.SECONDS);
        places.put(shape.runtime(), new Place(shape, number, spare, end));
    }

    /** Whatever happens, whoever waits for it is told first. */
    private void make(Shape shape, Image image, CompletableFuture<Optional<Spare>> spare) {
        SandboxRecord record = shape.anonymous(generations);
        try {
            construction.furnishUnnamed(record, image);
            MachineProcess process = construction.start(record, image);
            construction.link(record, Construction.FIRST_ANSWER).link().close();
            spare.complete(Optional.of(new Spare(record.id(), process, shape, record.lineage().generation())));
        } catch (RuntimeException | InterruptedException problem) {
            LOG.warn("No spare sandbox could be made on {}: {}", shape.runtime(), problem.toString());
        } finally {
            if (spare.complete(Optional.empty())) {
                discard(record.id(), shape);
            }
        }
    }

    /** Called with this object's lock. */
    private void remove(Place place) {
        places.remove(place.shape().runtime());
        place.end().cancel(false);
    }

    private void expire(long number) {
        Optional<Place> over;
        synchronized (this) {
            over = places.values().stream().filter(place -> place.number() == number).findAny();
            over.ifPresent(this::remove);
        }
        over.ifPresent(this::end);
    }

    /** Takes a spare away as soon as it is there. */
    private void end(Place place) {
        place.spare().thenAccept(spare -> spare.ifPresent(unused -> Thread.ofVirtual().name("spare-end").start(() -> discard(unused))));
    }

    /** Takes away a spare that its taker has no use for. */
    void discard(Spare spare) {
        discard(spare.id(), spare.shape());
    }

    private void discard(SandboxId id, Shape shape) {
        try {
            construction.remove(id, shape.runtime());
        } catch (RuntimeException problem) {
            LOG.warn("A spare sandbox could not be taken away; it is done at the next start", problem);
        }
    }

    /** Takes all of them away but those that are being made: the next daemon does that. */
    @Override
    public void close() {
        List<Place> left;
        synchronized (this) {
            closed = true;
            clock.shutdownNow();
            left = List.copyOf(places.values());
            places.clear();
        }
        for (Place place : left) {
            try {
                place.spare().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).ifPresent(this::discard);
            } catch (TimeoutException | ExecutionException tooLate) {
                LOG.debug("A spare sandbox is left to the next daemon", tooLate);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
