package dev.sandglass.engine.ready;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.ReadyRecord;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.life.Blueprint;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.life.Stocks;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.engine.template.Templates;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandboxPool;
import dev.sandglass.wire.SandboxPoolList;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SetPool;
import dev.sandglass.wire.TemplatePool;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pools of this machine: those that the ledger names, and those that templates do. Their names are looked up whenever they may have come to mean something else. Thread-safe. */
public final class ReadyPools implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReadyPools.class);
    private static final long MOST_IDLE = 1000;
    private static final int MOST_WORDS = 65_536;
    /** What nobody tells of is seen that late. */
    private static final Duration NOW_AND_THEN = Duration.ofSeconds(30);

    /** @param isOfTemplate whether the recipe says so, and nobody else */
    private record Wish(ReadyRecord record, boolean isOfTemplate) {}

    private final Ledger ledger;
    private final Sandboxes sandboxes;
    private final Stocks stocks;
    private final Templates templates;
    private final Semaphore news = new Semaphore(0);
    private final Thread keeper;
    private final Map<String, String> problems = new ConcurrentHashMap<>();
    private final Map<String, String> begunWith = new ConcurrentHashMap<>();
    private final Set<String> known = new HashSet<>();
    private volatile boolean closed;

    public ReadyPools(Ledger ledger, Sandboxes sandboxes, Snapshots snapshots, Templates templates) {
        this.ledger = ledger;
        this.sandboxes = sandboxes;
        this.stocks = sandboxes.stocks();
        this.templates = templates;
        this.keeper = Thread.ofPlatform().daemon().name("pools").unstarted(this::keep);
        stocks.watchMisses(this::look);
        templates.watch(this::look, this::requireUnused);
        snapshots.watchRemovals(this::requireUnused);
        keeper.start();
    }

    private void look() {
        if (news.availablePermits() == 0) {
            news.release();
        }
    }

    /** All pools, by name. */
    public SandboxPoolList list() {
        return new SandboxPoolList(wishes().values().stream().map(this::view).toList(), stocks.mostBytes());
    }

    /** The pool of that snapshot or template; {@code pool_not_found}. */
    public SandboxPool get(String name) {
        return Optional.ofNullable(wishes().get(name)).or(() -> Optional.ofNullable(wishes().get(meant(name)))).map(this::view).orElseThrow(() -> unknown(name));
    }

    /** Has so many sandboxes of a snapshot or template kept ready from now on; {@code snapshot_not_found} if there is neither. */
    public SandboxPool set(String name, SetPool request) {
        long least = Objects.requireNonNullElse(request.minIdle(), 0L);
        long most = Objects.requireNonNullElse(request.maxIdle(), least);
        if (least < 0 || most < least || most > MOST_IDLE) {
            throw Rules.invalid("min_idle, max_idle", least + ", " + most, "0 <= min_idle <= max_idle <= " + MOST_IDLE);
        }
        Optional<String> warmUp = Optional.ofNullable(request.warmUp()).filter(command -> !command.isBlank());
        if (warmUp.filter(command -> command.length() > MOST_WORDS || command.indexOf('\0') >= 0).isPresent()) {
            throw Rules.invalid("warm_up", warmUp.get().length() + " characters", "at most " + MOST_WORDS + ", no NUL");
        }
        String whole = templates.isBuilt(name).isPresent() ? name : named(snapshot(name));
        if (templates.isBuilt(whole).orElse(true)) {
            sandboxes.blueprint(from(whole), warmUp); // what can never be is refused now
        }
        ledger.ready().put(new ReadyRecord(whole, (int) least, (int) most, warmUp));
        keepNow();
        return get(whole);
    }

    private SnapshotRecord snapshot(String ref) {
        try {
            return ledger.snapshots().resolve(ref);
        } catch (SandglassException unknown) {
            throw unknown.code() == ErrorCode.SNAPSHOT_NOT_FOUND
                    ? new SandglassException(
                            unknown.code(), "There is no snapshot or template " + Rules.printable(ref) + ".", "`sandglass snapshot ls` and `sandglass template ls` list those that exist.", unknown)
                    : unknown;
        }
    }

    private static String named(SnapshotRecord snapshot) {
        return snapshot.name().orElse(snapshot.id().text());
    }

    /** The name under which a snapshot has its pool. */
    private String meant(String ref) {
        try {
            return named(ledger.snapshots().resolve(ref));
        } catch (SandglassException unknown) {
            return ref;
        }
    }

    /** Ends a pool: what waits goes. One of which a template says so is ended by its recipe, or set to nothing. */
    public void remove(String name) {
        boolean gone = ledger.ready().remove(name) || ledger.ready().remove(meant(name));
        if (!gone) {
            if (wishes().containsKey(name)) {
                throw new SandglassException(
                        ErrorCode.CONFLICT, "The recipe of the template " + name + " has that pool.", "`sandglass pool set " + name + " --min 0` keeps none, or take it out of the recipe.");
            }
            throw unknown(name);
        }
        keepNow();
    }

    private static SandglassException unknown(String name) {
        return new SandglassException(ErrorCode.POOL_NOT_FOUND, "There is no pool of " + Rules.printable(name) + ".", "`sandglass pool ls` lists those that there are.");
    }

    private Map<String, Wish> wishes() {
        Map<String, Wish> all = new TreeMap<>();
        templates.pools().forEach((name, pool) -> all.put(name, new Wish(record(name, pool), true)));
        ledger.ready().all().forEach(record -> all.put(record.name(), new Wish(record, false)));
        return all;
    }

    private static ReadyRecord record(String name, TemplatePool pool) {
        long least = Math.min(MOST_IDLE, Objects.requireNonNullElse(pool.minIdle(), 0L));
        long most = Math.clamp(Objects.requireNonNullElse(pool.maxIdle(), least), least, MOST_IDLE);
        return new ReadyRecord(name, (int) least, (int) most, Optional.ofNullable(pool.warmUp()));
    }

    private SandboxPool view(Wish wish) {
        ReadyRecord record = wish.record();
        Optional<Stocks.Figures> figures = stocks.figures(record.name());
        @Nullable String problem = problems.get(record.name());
        return new SandboxPool(
                record.name(),
                wish.isOfTemplate() ? "template" : "user",
                begunWith.get(record.name()),
                record.least(),
                record.most(),
                record.warmUp().orElse(null),
                figures.map(Stocks.Figures::ready).orElse(0),
                figures.map(Stocks.Figures::making).orElse(0),
                figures.map(Stocks.Figures::claimed).orElse(0L),
                figures.map(Stocks.Figures::missed).orElse(0L),
                figures.map(Stocks.Figures::memoryBytes).orElse(0L),
                problem != null ? problem : figures.flatMap(Stocks.Figures::problem).orElse(null));
    }

    // -- the keeper

    private void keep() {
        try {
            while (!closed) {
                try {
                    keepNow();
                } catch (RuntimeException problem) {
                    LOG.error("The pools could not be looked after; it is tried again", problem);
                }
                if (news.tryAcquire(NOW_AND_THEN.toSeconds(), TimeUnit.SECONDS)) {
                    news.drainPermits();
                }
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void keepNow() {
        Map<String, Wish> wishes = wishes();
        known.removeIf(name -> {
            boolean gone = !wishes.containsKey(name);
            if (gone) {
                forget(name);
            }
            return gone;
        });
        wishes.values().forEach(wish -> keep(wish.record()));
    }

    private void forget(String name) {
        stocks.drop(name);
        problems.remove(name);
        begunWith.remove(name);
    }

    private void keep(ReadyRecord record) {
        String name = record.name();
        known.add(name);
        if (closed) {
            return;
        }
        try {
            if (!templates.isBuilt(name).orElse(true)) {
                throw new SandglassException(ErrorCode.CONFLICT, "The template is not built yet.", "`sandglass template build " + name + "`.");
            }
            Blueprint blueprint = sandboxes.blueprint(from(name), record.warmUp());
            stocks.keep(name, blueprint, record.least(), record.most());
            blueprint.prototype().lineage().at().map(SnapshotId::text).ifPresent(snapshot -> begunWith.put(name, snapshot));
            problems.remove(name);
        } catch (SandglassException problem) {
            forget(name);
            problems.put(name, problem.what());
        }
    }

    private static CreateSandbox from(String name) {
        return CreateSandbox.from(name, Map.of());
    }

    /** Refuses to let what a pool begins with go. */
    private void requireUnused(String what) {
        if (ledger.ready().all().stream().anyMatch(record -> record.name().equals(what))) {
            throw new SandglassException(ErrorCode.CONFLICT, "Sandboxes of " + what + " are kept ready in a pool.", "End the pool first: `sandglass pool rm " + what + "`.");
        }
    }

    /** What waits goes with the stocks. */
    @Override
    public void close() {
        closed = true;
        keeper.interrupt();
    }
}
