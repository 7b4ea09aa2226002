package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.trace.Trace;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sandboxes that were started ahead: whoever wants one like them has it made his own. They are in no ledger, so a daemon that finds one of an earlier daemon takes it
 * away like anything that no row explains. They are made in the background, a few at a time, and not while somebody waits for a sandbox. Thread-safe.
 */
public final class Stocks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Stocks.class);

    /** For those that are being made, all together: they began before whoever waits could begin, unless something is wrong. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** However many wait for sandboxes, one is made ahead so often. */
    private static final Duration AT_LEAST = Duration.ofSeconds(2);

    /** After that, a stock is as small again as it was. */
    private static final Duration KEPT = Duration.ofMinutes(10);

    /** Between attempts to take away what could not be. */
    private static final Duration RETRY = Duration.ofSeconds(30);

    private static final int REMOVALS_AT_ONCE = 16;

    /** What hangs in a warm-up takes no turn, but memory. */
    private static final int WARMED_AT_ONCE = 8;

    /** How a stock does; {@code problem} says why there are not as many as there are to be. */
    public record Figures(int ready, int making, long claimed, long missed, long memoryBytes, Optional<String> problem) {}

    /** That one is being made, of as many as may be at once. */
    private final class Turn {
        private boolean ended;

        /** Fine if it has ended. */
        void end() {
            synchronized (Stocks.this) {
                underWay -= ended ? 0 : 1;
                ended = true;
            }
        }
    }

    /** Somebody waits for a sandbox, until it is closed. */
    interface Waiting extends AutoCloseable {
        @Override
        void close();
    }

    private final SpareMaking making;
    private final int atOnce;
    private final long mostBytes;
    private final Map<String, Stock> stocks = new LinkedHashMap<>();
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("spares").factory());
    private volatile Runnable misses = () -> {};
    private int waiting;
    private int underWay;
    /** Those that are warmed up when they run, from their begin on. */
    private int warming;
    private long lastBegun = System.nanoTime() - AT_LEAST.toNanos();
    private boolean closed;

    /**
     * @param processors of which half make spares
     * @param mostBytes of memory that all those may take that are for everybody
     */
    Stocks(SpareMaking making, int processors, long mostBytes) {
        this.making = making;
        this.atOnce = Math.max(1, processors / 2);
        this.mostBytes = mostBytes;
        clock.setRemoveOnCancelPolicy(true);
        retryLater();
    }

    private void retryLater() {
        clock.schedule(() -> Thread.ofVirtual().name("spare-remains").start(this::retry), RETRY.toSeconds(), TimeUnit.SECONDS);
    }

    private void retry() {
        making.remains().retry();
        synchronized (this) {
            if (!closed) {
                fill();
                retryLater();
            }
        }
    }

    /** Tells of everybody who meant a stock and got nothing of it. The watcher must be quick. */
    public void watchMisses(Runnable watcher) {
        misses = watcher;
    }

    /** What all those may take that are for everybody. */
    public long mostBytes() {
        return mostBytes;
    }

    /**
     * Sees to it that so many wait; those of another blueprint go.
     *
     * @param least how many there are whoever asks
     * @param most how many there are if more are asked for than there are
     */
    public void keep(String name, Blueprint blueprint, int least, int most) {
        keep(name, blueprint, false, least, most);
    }

    /** The same, for those alone who want the same limits. */
    void keepOne(String name, Blueprint blueprint) {
        keep(name, blueprint, true, 1, 1);
    }

    private void keep(String name, Blueprint blueprint, boolean exact, int least, int most) {
        List<Stock.Place> surplus = new ArrayList<>();
        synchronized (this) {
            if (closed) {
                return;
            }
            Stock before = stocks.get(name);
            if (before != null && before.blueprint.isLike(blueprint)) {
                if (before.least != least || before.most != most) {
                    before.resize(least, most);
                }
                shrink(before, surplus);
            } else {
                Stock stock = new Stock(name, blueprint, exact, least, most);
                if (before != null) {
                    stock.claimed = before.claimed;
                    stock.missed = before.missed;
                    surplus.addAll(before.places);
                    before.places.clear();
                }
                stocks.put(name, stock);
            }
            fill();
        }
        surplus.forEach(this::end);
    }

    /** Those of that name go, and are not made any more. */
    public void drop(String name) {
        List<Stock.Place> left;
        synchronized (this) {
            Stock stock = stocks.remove(name);
            left = stock == null ? List.of() : List.copyOf(stock.places);
            if (stock != null) {
                stock.places.clear();
            }
            fill();
        }
        left.forEach(this::end);
    }

    /** How the stock of that name does, if there is one. */
    public synchronized Optional<Figures> figures(String name) {
        return Optional.ofNullable(stocks.get(name)).map(stock -> {
            boolean isFull = stock.missing() > 0 && !fits(stock);
            Optional<String> full = isFull ? Optional.of("The memory for waiting sandboxes is used up (pool_memory_mb).") : Optional.empty();
            Optional<String> stuck = stock.missing() > 0 && making.remains().areMany() ? Optional.of("Too many that waited could not be taken away; it is tried again.") : Optional.empty();
            return new Figures(
                    (int) stock.ready().count(), stock.making(), stock.claimed, stock.missed, stock.ready().mapToLong(Spare::memoryBytes).sum(),
                    stock.problem.or(() -> stuck).or(() -> full));
        });
    }

    /** Whether somebody else than that stock would give such a sandbox. */
    synchronized boolean isServed(SandboxRecord record, String butBy) {
        Shape shape = Shape.of(record, false);
        return stocks.values().stream().anyMatch(stock -> !stock.name.equals(butBy) && stock.serves(shape, record));
    }

    /** That somebody waits for a sandbox, so that none is made ahead meanwhile. */
    Waiting await() {
        synchronized (this) {
            waiting++;
        }
        return () -> {
            synchronized (this) {
                waiting--;
                fill();
            }
        };
    }

    /**
     * One that can be made the sandbox of the record, and is the caller's from now on. One that is being made is waited for where it is there sooner than a new one.
     *
     * @param memory whether the processes of the snapshot go on in it
     */
    Optional<Spare> take(SandboxRecord record, boolean memory) {
        Shape shape = Shape.of(record, memory);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Optional<Stock.Place> place = choose(record, shape, deadline - System.nanoTime() > 0);
            if (place.isEmpty()) {
                return Optional.empty();
            }
            Trace.step("spare");
            Optional<Spare> spare = awaited(place.get(), deadline - System.nanoTime());
            if (spare.isPresent() && making.lives(spare.get())) {
                count(place.get().stock());
                return spare;
            }
            spare.ifPresent(this::discard);
        }
    }

    private synchronized void count(Stock stock) {
        stock.claimed++;
    }

    /** @param patient whether one that is being made can be waited for */
    private Optional<Stock.Place> choose(SandboxRecord record, Shape shape, boolean patient) {
        Optional<String> reason = Optional.empty();
        boolean missed = false;
        synchronized (this) {
            for (Stock stock : stocks.values()) {
                Optional<Stock.Place> best = stock.serves(shape, record) ? stock.best(patient) : Optional.empty();
                if (best.isPresent()) {
                    stock.places.remove(best.get());
                    return best;
                }
            }
            for (Stock stock : stocks.values()) {
                if (stock.isMeantBy(record)) {
                    stock.missed++;
                    missed = true;
                    reason = Optional.of(stock.serves(shape, record) ? "none is ready" : stock.shape.difference(shape).map(what -> "another " + what).orElse("an older state"));
                    grow(stock);
                }
            }
        }
        if (missed) {
            Trace.step("no spare: " + reason.orElseThrow());
            misses.run();
        }
        return Optional.empty();
    }

    private Optional<Spare> awaited(Stock.Place place, long nanos) {
        try {
            return place.spare().get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException tooLate) {
            end(place);
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            end(place);
            return Optional.empty();
        }
    }

    /** Called with this object's lock. */
    private void grow(Stock stock) {
        stock.grownAt = System.nanoTime();
        if (closed || stock.missing() > 0 || stock.wanted >= stock.most) {
            return;
        }
        stock.wanted++;
        if (stock.wanted == stock.least + 1) { // else that is being waited for
            clock.schedule(() -> calm(stock), KEPT.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void calm(Stock stock) {
        List<Stock.Place> surplus = new ArrayList<>();
        synchronized (this) {
            long left = stock.grownAt + KEPT.toNanos() - System.nanoTime();
            if (closed || stock.wanted <= stock.least) {
                return;
            }
            if (left > 0) {
                clock.schedule(() -> calm(stock), left, TimeUnit.NANOSECONDS);
                return;
            }
            stock.wanted = stock.least;
            shrink(stock, surplus);
        }
        surplus.forEach(this::end);
    }

    /** Called with this object's lock. */
    private static void shrink(Stock stock, List<Stock.Place> surplus) {
        while (stock.missing() < 0) {
            surplus.add(stock.places.removeLast());
        }
    }

    /** Begins to make as many as may be made now. Called with this object's lock. */
    private void fill() {
        while (!closed && underWay < atOnce && !making.remains().areMany()) {
            Optional<Stock> neediest = stocks.values().stream()
                    .filter(stock -> stock.missing() > 0 && stock.restNanos() <= 0 && fits(stock) && mayWarm(stock))
                    .min(Comparator.comparingInt(Stock::making).thenComparing(Stock::missing, Comparator.reverseOrder()));
            if (neediest.isEmpty()) {
                return;
            }
            long pause = lastBegun + AT_LEAST.toNanos() - System.nanoTime();
            if (waiting > 0 && pause > 0) {
                later(pause);
                return;
            }
            begin(neediest.get());
        }
    }

    /** A warm-up goes on when the turn of its sandbox has ended, so a stock might begin all that it wants. */
    private boolean mayWarm(Stock stock) {
        return stock.blueprint.warmUp().isEmpty() || (stock.making() < atOnce && warming < Math.max(WARMED_AT_ONCE, atOnce));
    }

    private void later(long nanos) {
        clock.schedule(
                () -> {
                    synchronized (this) {
                        fill();
                    }
                },
                nanos,
                TimeUnit.NANOSECONDS);
    }

    private boolean fits(Stock stock) {
        long taken = stocks.values().stream().filter(each -> !each.exact).mapToLong(Stock::memoryBytes).sum();
        return stock.exact || taken + stock.weight() <= mostBytes;
    }

    private void begin(Stock stock) {
        Stock.Place place = new Stock.Place(stock);
        stock.places.add(place);
        underWay++;
        warming += stock.blueprint.warmUp().isPresent() ? 1 : 0;
        lastBegun = System.nanoTime();
        Thread.ofVirtual().name("spare-" + stock.name).start(() -> make(place, new Turn()));
    }

    /** Whatever happens, whoever waits for it is told first. */
    private void make(Stock.Place place, Turn turn) {
        Stock stock = place.stock();
        Optional<Spare> made = Optional.empty();
        Optional<String> why = Optional.of("It could not be made.");
        try {
            made = Optional.of(making.make(stock.blueprint, !stock.exact, cut -> {
                letNext(turn);
                place.warming().complete(cut);
            }));
        } catch (SandglassException problem) {
            why = Optional.of(problem.what());
            LOG.warn("No spare sandbox could be made for {}: {}", stock.name, problem.what());
        } catch (RuntimeException problem) {
            why = Optional.of(problem.toString());
            LOG.warn("No spare sandbox could be made for {}", stock.name, problem);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            settle(place, turn, made, why);
        }
    }

    private synchronized void letNext(Turn turn) {
        turn.end();
        fill();
    }

    private void settle(Stock.Place place, Turn turn, Optional<Spare> made, Optional<String> why) {
        Stock stock = place.stock();
        synchronized (this) {
            turn.end();
            warming -= stock.blueprint.warmUp().isPresent() ? 1 : 0;
            made.ifPresentOrElse(stock::succeeded, () -> {
                if (stock.places.remove(place)) { // else nobody wants it any more, and it was cut off
                    stock.failed(why.orElseThrow());
                }
                if (stock.exact) {
                    stocks.remove(stock.name, stock); // nobody asked for it, and its snapshot may be gone
                } else if (!closed) {
                    later(stock.restNanos());
                }
            });
            place.spare().complete(made);
            fill();
        }
        made.ifPresent(spare -> spare.ended().thenRun(() -> Thread.ofVirtual().name("spare-end").start(() -> lost(place, spare))));
    }

    /** One that waited has ended by itself. */
    private void lost(Stock.Place place, Spare spare) {
        synchronized (this) {
            if (!place.stock().places.remove(place)) {
                return; // somebody has it, or takes it away
            }
        }
        LOG.warn("The spare sandbox {} of {} has ended", spare.id(), place.stock().name);
        discard(spare);
        synchronized (this) {
            fill();
        }
    }

    /** Takes a spare away as soon as it is there; a warm-up is not waited for. */
    private void end(Stock.Place place) {
        place.warming().thenAccept(Runnable::run);
        place.spare().thenAccept(spare -> spare.ifPresent(this::discardLater));
    }

    private void discardLater(Spare unused) {
        Thread.ofVirtual().name("spare-end").start(() -> discard(unused));
    }

    /** Takes away a spare that its taker has no use for. */
    void discard(Spare spare) {
        making.remove(spare.id(), spare.runtime());
    }

    /** Takes all of them away but those that are being made: the next daemon does that. */
    @Override
    public void close() {
        List<Stock.Place> left;
        synchronized (this) {
            closed = true;
            clock.shutdownNow();
            left = stocks.values().stream().flatMap(stock -> stock.places.stream()).toList();
            stocks.values().forEach(stock -> stock.places.clear());
        }
        Semaphore turns = new Semaphore(REMOVALS_AT_ONCE);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            left.forEach(place -> threads.execute(() -> close(place, turns)));
        }
    }

    private void close(Stock.Place place, Semaphore turns) {
        place.warming().thenAccept(Runnable::run);
        try {
            Optional<Spare> spare = place.spare().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            turns.acquire();
            try {
                spare.ifPresent(this::discard);
            } finally {
                turns.release();
            }
        } catch (TimeoutException | ExecutionException tooLate) {
            LOG.debug("A spare sandbox is left to the next daemon", tooLate);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
