package dev.sandglass.engine.life;

import dev.sandglass.engine.ledger.SandboxRecord;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Sandboxes that are started ahead after one blueprint, and how many there are to be. Guarded by the lock of {@link Stocks}. */
final class Stock {
    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    private static final int MOST_DOUBLINGS = 6;
    /** Before one was weighed. */
    private static final long GUESS_BYTES = 32L << 20;

    /**
     * Where a spare is kept.
     *
     * @param spare complete when it is ready; empty if it did not come to
     * @param warming complete when it is warmed up, with what cuts that off
     */
    record Place(Stock stock, CompletableFuture<Optional<Spare>> spare, CompletableFuture<Runnable> warming) {
        Place(Stock stock) {
            this(stock, new CompletableFuture<>(), new CompletableFuture<>());
        }

        Optional<Spare> ready() {
            return spare.state() == Future.State.SUCCESS ? spare.resultNow() : Optional.empty();
        }
    }

    final String name;
    final Blueprint blueprint;
    final Shape shape;
    /** Whether they are for those alone who want the same limits. */
    final boolean exact;

    final Deque<Place> places = new ArrayDeque<>();
    int least;
    int most;
    /** How many there are to be now: more than the least while more are asked for than there are. */
    int wanted;
    long claimed;
    long missed;
    /** When it was last wanted more than it had. */
    long grownAt;

    Optional<String> problem = Optional.empty();
    private int failures;
    private long notBefore = System.nanoTime();
    private long weight = GUESS_BYTES;

    Stock(String name, Blueprint blueprint, boolean exact, int least, int most) {
        this.name = name;
        this.blueprint = blueprint;
        this.shape = blueprint.shape();
        this.exact = exact;
        resize(least, most);
    }

    void resize(int newLeast, int newMost) {
        least = newLeast;
        most = newMost;
        wanted = newLeast;
    }

    /** Where something has run already, the same layers are not enough: it is for those alone who begin with the same snapshot. */
    boolean serves(Shape asked, SandboxRecord record) {
        return shape.equals(asked)
                && (!exact || blueprint.prototype().limits().equals(record.limits()))
                && (!blueprint.isInhabited() || blueprint.prototype().lineage().at().equals(record.lineage().at()));
    }

    /** Whether who wants such a sandbox could have meant this. */
    boolean isMeantBy(SandboxRecord record) {
        return !exact && record.lineage().at().isPresent() && record.lineage().at().equals(blueprint.prototype().lineage().at());
    }

    Stream<Spare> ready() {
        return places.stream().flatMap(place -> place.ready().stream());
    }

    int making() {
        return (int) places.stream().filter(place -> !place.spare().isDone()).count();
    }

    int missing() {
        return wanted - places.size();
    }

    /**
     * One that is ready; else one that is being made, where that is sooner there than one begun now.
     *
     * @param patient whether one that is being made can be waited for
     */
    Optional<Place> best(boolean patient) {
        Optional<Place> waiting = places.stream().filter(place -> place.ready().isPresent()).findFirst();
        return waiting.isPresent() || !patient || blueprint.isInhabited() ? waiting : places.stream().findFirst();
    }

    /** What those that are ready take, and those that are being made will. */
    long memoryBytes() {
        return ready().mapToLong(Spare::memoryBytes).sum() + making() * weight;
    }

    /** What another one will take. */
    long weight() {
        return weight;
    }

    /** How long nothing is to be begun, because it failed before; not above zero if it may begin. */
    long restNanos() {
        return notBefore - System.nanoTime();
    }

    void succeeded(Spare spare) {
        failures = 0;
        problem = Optional.empty();
        weight = Math.max(1, spare.memoryBytes());
    }

    void failed(String why) {
        problem = Optional.of(why);
        notBefore = System.nanoTime() + FIRST_WAIT.toNanos() * (1L << Math.min(MOST_DOUBLINGS, failures));
        failures++;
    }
}
