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
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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

    /** A sandbox that runs, and that nobody has used. */
    private record Spare(SandboxId id, MachineProcess process) {}

    /**
     * Where a spare is kept.
     *
     * @param number tells it from another of its shape
     * @param spare complete when it runs; empty if it did not come to
     */
    private record Place(Shape shape, long number, CompletableFuture<Optional<Spare>> spare, ScheduledFuture<?> end) {}

    private final Construction construction;
    private final boolean kept;
    private final Map<String, Shape> asked = new HashMap<>();
    private final Map<String, Place> places = new HashMap<>();
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("spares").factory());
    private long placed;
    private boolean closed;

    /** @param kept whether there are to be any */
    Spares(Construction construction, boolean kept) {
        this.construction = construction;
        this.kept = kept;
        clock.setRemoveOnCancelPolicy(true);
    }

    /** A sandbox to be made, and the spare that it will be, if there is one; what is not used goes back when this is closed. */
    final class Claim implements AutoCloseable {
        private final SandboxRecord record;
        private Optional<Spare> spare;

        private Claim(SandboxRecord wanted, Optional<Spare> spare) {
            this.record = spare.map(found -> wanted.as(found.id())).orElse(wanted);
            this.spare = spare;
        }

        SandboxRecord record() {
            return record;
        }

        /** The processes of the spare, which is the caller's from now on. */
        Optional<MachineProcess> use() {
            Optional<MachineProcess> process = spare.map(Spare::process);
            spare = Optional.empty();
            return process;
        }

        @Override
        public void close() {
            spare.ifPresent(unused -> giveBack(Shape.of(record), unused));
        }
    }

    /** Takes the spare of the wanted shape, waiting for one that is being made: it is there sooner than a new one. */
    Claim claim(SandboxRecord wanted) {
        Place place;
        synchronized (this) {
            place = places.get(wanted.runtime());
            if (place == null || !place.shape().equals(Shape.of(wanted))) {
                return new Claim(wanted, Optional.empty());
            }
            remove(place);
        }
        Trace.step("spare");
        return new Claim(wanted, place.spare().join().filter(spare -> lives(spare, place.shape())));
    }

    private boolean lives(Spare spare, Shape shape) {
        if (construction.runtime(shape.runtime()).life(spare.process()) == Life.ALIVE) {
            return true;
        }
        discard(spare.id(), shape);
        return false;
    }

    /** Notes that a sandbox was made; if it is like the one before, the next one is likely to be as well, and is made ahead. */
    void expectAnother(SandboxRecord made, Image image) {
        Shape shape = Shape.of(made);
        Optional<Place> other = Optional.empty();
        synchronized (this) {
            boolean again = shape.equals(asked.put(shape.runtime(), shape));
            Place place = places.get(shape.runtime());
            if (!kept || closed || !again || (place != null && place.shape().equals(shape))) {
                return;
            }
            other = Optional.ofNullable(place);
            other.ifPresent(this::remove);
            CompletableFuture<Optional<Spare>> spare = new CompletableFuture<>();
            put(shape, spare);
            Thread.ofVirtual().name("spare-" + shape.runtime()).start(() -> spare.complete(made(shape, image)));
        }
        other.ifPresent(this::end);
    }

    private Optional<Spare> made(Shape shape, Image image) {
        SandboxRecord record = shape.anonymous();
        try {
            construction.furnish(record);
            MachineProcess process = construction.start(record, image);
            construction.link(record, Construction.FIRST_ANSWER).link().close();
            return Optional.of(new Spare(record.id(), process));
        } catch (RuntimeException | InterruptedException problem) {
            LOG.warn("No spare sandbox could be made on {}: {}", shape.runtime(), problem.toString());
            discard(record.id(), shape);
            return Optional.empty();
        }
    }

    private void giveBack(Shape shape, Spare spare) {
        synchronized (this) {
            if (!closed && !places.containsKey(shape.runtime())) {
                put(shape, CompletableFuture.completedFuture(Optional.of(spare)));
                return;
            }
        }
        discard(spare.id(), shape);
    }

    /** Called with this object's lock. */
    private void put(Shape shape, CompletableFuture<Optional<Spare>> spare) {
        long number = ++placed;
        ScheduledFuture<?> end = clock.schedule(() -> expire(number), KEPT.toSeconds(), TimeUnit.SECONDS);
        places.put(shape.runtime(), new Place(shape, number, spare, end));
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

    private void end(Place place) {
        Thread.ofVirtual().name("spare-end").start(() -> endNow(place));
    }

    private void endNow(Place place) {
        place.spare().join().ifPresent(spare -> discard(spare.id(), place.shape()));
    }

    private void discard(SandboxId id, Shape shape) {
        try {
            construction.remove(id, shape.runtime());
        } catch (RuntimeException problem) {
            LOG.warn("A spare sandbox could not be taken away; it is done at the next start", problem);
        }
    }

    /** Takes all of them away. */
    @Override
    public void close() {
        List<Place> left;
        synchronized (this) {
            closed = true;
            clock.shutdownNow();
            left = List.copyOf(places.values());
            places.clear();
        }
        left.forEach(this::endNow);
    }
}
