package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.ApiKeyLedger;
import dev.sandglass.engine.ledger.BuildLedger;
import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.CredentialLedger;
import dev.sandglass.engine.ledger.EventFilter;
import dev.sandglass.engine.ledger.EventPage;
import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.ImageLedger;
import dev.sandglass.engine.ledger.JourneyLedger;
import dev.sandglass.engine.ledger.KeyedCommand;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.OperationRecord;
import dev.sandglass.engine.ledger.Position;
import dev.sandglass.engine.ledger.ReadyLedger;
import dev.sandglass.engine.ledger.RouteLedger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.ledger.SpendingLedger;
import dev.sandglass.engine.ledger.VolumeLedger;
import dev.sandglass.engine.ledger.TemplateLedger;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.TransactionMode;
import org.sqlite.SQLiteDataSource;

/** The ledger in one SQLite file. Thread-safe. */
public final class SqliteLedger implements Ledger {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteLedger.class);
    private static final int KEPT_DESTROYED = 10_000;
    private static final int PRUNED_EVERY = 100;
    private static final String SELECT = "SELECT " + SandboxRows.COLUMNS + " FROM sandbox ";
    private static final Lookup<SandboxRecord> LOOKUP = new Lookup<>(
            SELECT, "state <> 'destroyed'", "sandbox", "sbx-", ErrorCode.SANDBOX_NOT_FOUND, "sandglass ls", (row, _) -> SandboxRows.read(row));

    private final Connection writer;
    private final Connection reader;
    private final Reserve reserve;
    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
    private final AtomicInteger destroyed = new AtomicInteger();

    private SqliteLedger(Connection writer, Connection reader, Reserve reserve) {
        this.writer = writer;
        this.reader = reader;
        this.reserve = reserve;
    }

    /**
     * Opens the ledger, or makes it. A damaged one is refused; a good one is copied to {@code FILE.backup}, and one of an older schema, as it was, to
     * {@code FILE.schema-N} too, which later starts leave alone.
     */
    public static SqliteLedger open(Path file) {
        try {
            if (!Files.exists(file)) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            Reserve reserve = new Reserve(file.resolveSibling(file.getFileName() + ".reserve"));
            reserve.empty(); // without room for its files SQLite fails, or dies of a page that it mapped and that has no place on the disk
            Handle handle = Jdbi.open(source(file, TransactionMode.IMMEDIATE));
            try {
                check(handle);
                backUp(handle, file); // before anything changes it: the program that wrote it must be able to read the copy
                Migrations.run(handle);
                prune(handle);
                pruneSnapshots(handle);
            } catch (RuntimeException | IOException problem) {
                handle.close();
                throw problem;
            }
            Connection reader = new Connection("ledger-reader", Jdbi.open(source(file, TransactionMode.DEFERRED)), 1);
            reserve.fill();
            return new SqliteLedger(new Connection("ledger-writer", handle, Connection.MANY), reader, reserve);
        } catch (JdbiException problem) {
            throw Connection.translate(problem);
        } catch (IOException problem) {
            throw StorageFailure.of("The ledger " + file + " cannot be opened", problem);
        }
    }

    /** A reader that began its transactions as a writer does would wait for every write to reach the disk. */
    private static SQLiteDataSource source(Path file, TransactionMode mode) {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setBusyTimeout(10_000);
        config.setTransactionMode(mode);
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }

    private static void check(Handle handle) {
        String verdict = handle.createQuery("PRAGMA quick_check(1)").mapTo(String.class).one();
        if (!verdict.equals("ok")) {
            throw Connection.ofSql(
                    new org.sqlite.SQLiteException(verdict, org.sqlite.SQLiteErrorCode.SQLITE_CORRUPT));
        }
    }

    /** Rows of sandboxes that are gone are history, and history is bounded. */
    private static void prune(Handle handle) {
        handle.execute(
                "DELETE FROM sandbox WHERE state = 'destroyed' AND id NOT IN"
                        + " (SELECT id FROM sandbox WHERE state = 'destroyed' ORDER BY created_at DESC LIMIT ?)",
                KEPT_DESTROYED);
    }

    /** A deleted snapshot holds the tree together as long as something grew from it. */
    private static void pruneSnapshots(Handle handle) {
        handle.execute(
                "DELETE FROM snapshot WHERE state = 'deleted'"
                        + " AND id NOT IN (SELECT id FROM snapshot WHERE state = 'deleted' ORDER BY created_at DESC LIMIT ?)"
                        + " AND id NOT IN (SELECT json_extract(details, '$.parent') FROM snapshot WHERE json_extract(details, '$.parent') IS NOT NULL)"
                        + " AND id NOT IN (SELECT json_extract(details, '$.snapshot') FROM sandbox WHERE json_extract(details, '$.snapshot') IS NOT NULL)",
                KEPT_DESTROYED);
    }

    private static void backUp(Handle handle, Path file) throws IOException {
        int schema = Migrations.done(handle);
        if (schema > 0) {
            copy(handle, file, ".backup");
            if (Migrations.isOld(schema)) {
                copy(handle, file, ".schema-" + schema);
            }
        }
    }

    /** A disk that is too full for a copy must not keep the daemon from starting: sandboxes could not be removed then. */
    private static void copy(Handle handle, Path file, String ending) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".backup.new");
        Files.deleteIfExists(fresh);
        try {
            handle.execute("VACUUM INTO ?", fresh.toString());
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-------"));
            Files.move(fresh, file.resolveSibling(file.getFileName() + ending), StandardCopyOption.ATOMIC_MOVE);
        } catch (JdbiException noRoom) {
            LOG.warn("The ledger could not be backed up: {}", Connection.translate(noRoom).what());
            Files.deleteIfExists(fresh);
        }
    }

    @Override
    public void insert(SandboxRecord sandbox) {
        writer.transact(handle -> {
            insert(handle, sandbox);
            return true;
        });
        tellWatchers();
    }

    @Override
    public void insertTentatively(SandboxRecord sandbox) {
        writer.transact(handle -> {
            handle.execute("INSERT INTO unconfirmed (sandbox_id) VALUES (?)", sandbox.id().text()); // first: it counts for what is made with the sandbox
            insert(handle, sandbox);
            return true;
        });
        tellWatchers();
    }

    @Override
    public Set<SandboxId> unconfirmed() {
        return reader.transact(
                handle -> handle.createQuery("SELECT sandbox_id FROM unconfirmed").mapTo(String.class).map(SandboxId::new).collect(Collectors.toSet()));
    }

    @Override
    public void confirm(Collection<SandboxId> sandboxes) {
        if (!sandboxes.isEmpty()) {
            List<String> ids = sandboxes.stream().map(SandboxId::text).toList();
            writer.transact(handle -> {
                SqliteVolumes.confirm(handle, ids);
                return handle.createUpdate("DELETE FROM unconfirmed WHERE sandbox_id IN (<ids>)").bindList("ids", ids).execute();
            });
        }
    }

    @Override
    public void confirm(Collection<SandboxId> sandboxes, IdempotencyKey key) {
        List<String> ids = sandboxes.stream().map(SandboxId::text).toList();
        writer.transact(handle -> {
            IdempotencyRows.put(handle, key, ids);
            SqliteVolumes.confirm(handle, ids);
            return handle.createUpdate("DELETE FROM unconfirmed WHERE sandbox_id IN (<ids>)").bindList("ids", ids).execute();
        });
    }

    @Override
    public void requireFree(String name) {
        reader.transact(handle -> {
            requireFree(handle, name, "");
            return true;
        });
    }

    private static void requireFree(Handle handle, String name, String owner) {
        boolean taken = handle.createQuery("SELECT COUNT(*) FROM sandbox WHERE name = ? AND id <> ? AND state <> 'destroyed'")
                        .bind(0, name)
                        .bind(1, owner)
                        .mapTo(Long.class)
                        .one()
                > 0;
        if (taken) {
            throw new SandglassException(
                    ErrorCode.NAME_TAKEN,
                    "There is a sandbox with the name " + name + " already.",
                    "Choose another name, or remove it with `sandglass rm " + name + "`.");
        }
    }

    @Override
    public Optional<SandboxRecord> insertOnce(SandboxRecord sandbox, IdempotencyKey key) {
        Optional<SandboxRecord> earlier = writer.transact(handle -> {
            Optional<SandboxRecord> made = madeBy(handle, key).stream().findFirst();
            if (made.isEmpty()) {
                insert(handle, sandbox);
                IdempotencyRows.put(handle, key, List.of(sandbox.id().text()));
            }
            return made;
        });
        if (earlier.isEmpty()) {
            tellWatchers();
        }
        return earlier;
    }

    @Override
    public List<SandboxRecord> madeBy(IdempotencyKey key) {
        return reader.transact(handle -> madeBy(handle, key));
    }

    private static List<SandboxRecord> madeBy(Handle handle, IdempotencyKey key) {
        return IdempotencyRows.made(handle, key).stream().flatMap(id -> find(handle, new SandboxId(id)).stream()).toList();
    }

    private static void insert(Handle handle, SandboxRecord sandbox) {
        requireFree(handle, sandbox.name(), sandbox.id().text());
        SqliteSnapshots.requireOrigin(handle, sandbox);
        SqliteImages.requireThere(handle, sandbox.image());
        SqliteCredentials.require(handle, sandbox.credentials());
        SqliteVolumes.use(handle, sandbox);
        Change.ofNew(sandbox).forEach(change -> EventRows.add(handle, sandbox.id(), sandbox.name(), change));
        SandboxRows.bind(
                        handle.createUpdate("INSERT INTO sandbox (" + SandboxRows.COLUMNS + ") VALUES (" + SandboxRows.VALUES + ")"), sandbox)
                .execute();
    }

    @Override
    public void update(SandboxRecord next) {
        Function<Handle, Integer> writing = handle -> update(handle, next);
        if (next.state() instanceof SandboxState.Destroyed) {
            // That it is being destroyed is on the disk: a host that goes down now finds that, and destroys it again.
            reserve.lend(() -> writer.transactUnsynced(writing));
        } else if (isOfLess(next.state())) {
            reserve.lend(() -> writer.transact(writing));
        } else {
            writer.transact(writing);
        }
        tellWatchers();
    }

    @Override
    public void insert(SnapshotRecord snapshot, SandboxRecord next, Optional<IdempotencyKey> key) {
        writer.transact(handle -> { // not from the reserve, which is for what makes room
            key.ifPresent(once -> SqliteSnapshots.note(handle, once, snapshot));
            return SqliteSnapshots.insert(handle, snapshot) + update(handle, next);
        });
        tellWatchers();
    }

    private int update(Handle handle, SandboxRecord next) {
        requireFree(handle, next.name(), next.id().text());
        Optional<SandboxRecord> before = find(handle, next.id());
        before.ifPresent(known -> SqliteSnapshots.requireRest(handle, known, next));
        before.ifPresent(known -> SqliteCredentials.requireNew(handle, known, next));
        before.ifPresent(known -> SqliteVolumes.use(handle, known, next));
        int changed = SandboxRows.bind(
                        handle.createUpdate("UPDATE sandbox SET (" + SandboxRows.COLUMNS + ") = (" + SandboxRows.VALUES
                                + ") WHERE id = :id AND version = :version - 1"),
                        next)
                .execute();
        SqliteSnapshots.requireChanged(changed, next.id().text());
        EventRows.add(handle, next.id(), next.name(), Change.of(before.orElseThrow(), next));
        if (next.state() instanceof SandboxState.Destroyed) {
            handle.execute("DELETE FROM unconfirmed WHERE sandbox_id = ?", next.id().text());
            SqliteJourneys.forget(handle, next.id());
            SqliteRoutes.forget(handle, next.id());
            SqliteSpendings.forget(handle, next.id());
            if (destroyed.incrementAndGet() % PRUNED_EVERY == 0) {
                prune(handle);
            }
        }
        return changed;
    }

    /** Whether what is written there makes room, or is the way back from something that had none. */
    private static boolean isOfLess(SandboxState state) {
        return switch (state) {
            case SandboxState.Stopping(), SandboxState.Stopped _, SandboxState.Failed _, SandboxState.Paused _, SandboxState.Destroying _, SandboxState.Destroyed _ -> true;
            case SandboxState.Creating(), SandboxState.Starting(), SandboxState.Running _, SandboxState.Resuming _ -> false;
        };
    }

    @Override
    public Optional<SandboxRecord> find(SandboxId id) {
        return reader.transact(handle -> find(handle, id));
    }

    private static Optional<SandboxRecord> find(Handle handle, SandboxId id) {
        return handle.createQuery(SELECT + "WHERE id = ?").bind(0, id.text()).map((row, _) -> SandboxRows.read(row)).findOne();
    }

    @Override
    public SandboxRecord resolve(String nameOrId) {
        return reader.transact(handle -> LOOKUP.resolve(handle, nameOrId));
    }

    @Override
    public SandboxRecord resolveWhole(String nameOrId) {
        return reader.transact(handle -> LOOKUP.resolveWhole(handle, nameOrId));
    }

    @Override
    public List<SandboxRecord> sandboxes() {
        return reader.transact(handle -> handle.createQuery(SELECT + "WHERE state <> 'destroyed' ORDER BY created_at, id")
                .map((row, _) -> SandboxRows.read(row))
                .list());
    }

    @Override
    public List<SandboxRecord> sandboxes(Optional<Position> after, boolean history, Predicate<SandboxRecord> wanted, int limit) {
        return reader.transact(handle -> {
            try (Stream<SandboxRecord> rows = handle.createQuery(
                            SELECT + "WHERE (:history OR state <> 'destroyed') AND (created_at, id) > (:created_at, :id) ORDER BY created_at, id")
                    .bind("history", history)
                    .bind("created_at", after.map(position -> position.createdAt().toEpochMilli()).orElse(Long.MIN_VALUE))
                    .bind("id", after.map(position -> position.id().text()).orElse(""))
                    .map((row, _) -> SandboxRows.read(row))
                    .stream()) {
                return rows.filter(wanted).limit(limit).toList();
            }
        });
    }

    @Override
    public void add(SandboxId id, String name, Change change) {
        writer.transact(handle -> {
            EventRows.add(handle, id, name, change);
            return true;
        });
        tellWatchers();
    }

    @Override
    public void addOnce(SandboxRecord sandbox, Change change, String command, Instant at) {
        boolean added = writer.transact(handle -> EventRows.addOnce(handle, sandbox, change, command, at));
        if (added) {
            tellWatchers();
        }
    }

    @Override
    public Set<String> told(SandboxRecord sandbox, String type) {
        return reader.transact(handle -> EventRows.told(handle, sandbox, type));
    }

    @Override
    public Optional<KeyedCommand> command(SandboxId sandbox, IdempotencyKey key) {
        return reader.transact(handle -> CommandKeyRows.find(handle, sandbox, key));
    }

    @Override
    public void keep(SandboxId sandbox, IdempotencyKey key, KeyedCommand command) {
        writer.transact(handle -> {
            CommandKeyRows.keep(handle, sandbox, key, command);
            return true;
        });
    }

    @Override
    public int highestCommand(SandboxId sandbox, Instant life) {
        return reader.transact(handle -> CommandKeyRows.highest(handle, sandbox, life));
    }

    @Override
    public EventPage events(long after, EventFilter wanted, int limit) {
        return reader.transact(handle -> EventRows.read(handle, after, wanted, limit));
    }

    @Override
    public void keep(OperationRecord operation) {
        writer.transact(handle -> {
            OperationRows.keep(handle, operation);
            return true;
        });
    }

    @Override
    public Optional<OperationRecord> operation(String id) {
        return reader.transact(handle -> OperationRows.find(handle, id));
    }

    @Override
    public List<OperationRecord> openOperations() {
        return reader.transact(OperationRows::open);
    }

    /** Of those that were given here: a file may have brought a snapshot with any number. */
    @Override
    public long highestGeneration() {
        return reader.transact(
                handle -> handle.createQuery("SELECT COALESCE(MAX(json_extract(details, '$.generation')), 1) FROM sandbox").mapTo(Long.class).one());
    }

    @Override
    public ImageLedger images() {
        return new SqliteImages(writer, reader, reserve);
    }

    @Override
    public CredentialLedger credentials() {
        return new SqliteCredentials(writer, reader);
    }

    @Override
    public RouteLedger routes() {
        return new SqliteRoutes(writer, reader, this::tellWatchers);
    }

    @Override
    public SpendingLedger spendings() {
        return new SqliteSpendings(writer, reader);
    }

    @Override
    public ReadyLedger ready() {
        return new SqliteReady(writer, reader);
    }

    @Override
    public TemplateLedger templates() {
        return new SqliteTemplates(writer, reader);
    }

    @Override
    public ApiKeyLedger apiKeys() {
        return new SqliteApiKeys(writer, reader);
    }

    @Override
    public BuildLedger builds() {
        return new SqliteBuilds(writer, reader);
    }

    @Override
    public JourneyLedger journeys() {
        return new SqliteJourneys(writer, reader);
    }

    @Override
    public SnapshotLedger snapshots() {
        return new SqliteSnapshots(writer, reader, reserve);
    }

    @Override
    public VolumeLedger volumes() {
        return new SqliteVolumes(writer, reader, reserve);
    }

    @Override
    public void watch(Runnable added) {
        watchers.add(added);
    }

    private void tellWatchers() {
        watchers.forEach(Runnable::run);
    }

    @Override
    public void close() {
        reader.close();
        writer.close();
    }
}
