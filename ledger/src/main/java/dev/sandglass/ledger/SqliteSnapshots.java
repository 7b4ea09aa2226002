package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotPosition;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/** The snapshots in the SQLite file. Thread-safe. */
record SqliteSnapshots(Connection writer, Connection reader, Reserve reserve) implements SnapshotLedger {
    private static final String SELECT = "SELECT " + SnapshotRows.COLUMNS + " FROM snapshot ";
    private static final Lookup<SnapshotRecord> LOOKUP = new Lookup<>(
            SELECT, "state = 'ready'", "snapshot", "snap-", ErrorCode.SNAPSHOT_NOT_FOUND, "sandglass snapshot ls", (row, _) -> SnapshotRows.read(row));

    @Override
    public void insert(SnapshotRecord snapshot) {
        writer.transact(handle -> insert(handle, snapshot));
    }

    static int insert(Handle handle, SnapshotRecord snapshot) {
        requireFree(handle, snapshot);
        SqliteImages.requireThere(handle, snapshot.image());
        return SnapshotRows.bind(
                        handle.createUpdate("INSERT INTO snapshot (" + SnapshotRows.COLUMNS + ") VALUES (" + SnapshotRows.VALUES + ")"), snapshot)
                .execute();
    }

    private static void requireFree(Handle handle, SnapshotRecord snapshot) {
        if (snapshot.name().isEmpty()) {
            return;
        }
        SqliteTemplates.requireNoTemplate(handle, snapshot.name().get());
        long taken = handle.createQuery("SELECT COUNT(*) FROM snapshot WHERE name = ? AND state <> 'deleted'")
                .bind(0, snapshot.name().get())
                .mapTo(Long.class)
                .one();
        if (taken > 0) {
            throw new SandglassException(
                    ErrorCode.NAME_TAKEN,
                    "There is a snapshot with the name " + snapshot.name().get() + " already.",
                    "Choose another name, or remove it with `sandglass snapshot rm " + snapshot.name().get() + "`: what runs on it goes on.");
        }
    }

    @Override
    public void update(SnapshotRecord next) {
        writer.transact(handle -> {
            update(handle, next);
            return true;
        });
    }

    @Override
    public void update(SnapshotRecord next, IdempotencyKey key) {
        writer.transact(handle -> {
            note(handle, key, next);
            update(handle, next);
            return true;
        });
    }

    static void note(Handle handle, IdempotencyKey key, SnapshotRecord made) {
        IdempotencyRows.put(handle, key, List.of(made.id().text()));
    }

    @Override
    public Optional<SnapshotRecord> madeBy(IdempotencyKey key) {
        return reader.transact(
                handle -> IdempotencyRows.made(handle, key).stream().findFirst().flatMap(id -> find(handle, new SnapshotId(id))));
    }

    static void update(Handle handle, SnapshotRecord next) {
        int changed = SnapshotRows.bind(
                        handle.createUpdate("UPDATE snapshot SET (" + SnapshotRows.COLUMNS + ") = (" + SnapshotRows.VALUES
                                + ") WHERE id = :id AND version = :version - 1"),
                        next)
                .execute();
        requireChanged(changed, next.id().text());
    }

    /** A record is replaced only by who has seen its last version. */
    static void requireChanged(int changed, String id) {
        if (changed != 1) {
            throw new SandglassException(
                    ErrorCode.INTERNAL,
                    "The record of " + id + " was changed by somebody else.",
                    "Only one daemon may use a data directory.");
        }
    }

    @Override
    public Optional<String> delete(SnapshotId id) {
        return reserve.lend(() -> writer.transact(handle -> delete(handle, id)));
    }

    @Override
    public void withdraw(SnapshotId id) {
        reserve.lend(() -> writer.transact(handle -> {
            IdempotencyRows.free(handle, id.text());
            return delete(handle, id);
        }));
    }

    static Optional<String> delete(Handle handle, SnapshotId id) {
        Optional<String> resting = handle.createQuery("SELECT " + SandboxRows.COLUMNS + " FROM sandbox WHERE state IN ('paused', 'resuming')")
                .map((row, _) -> SandboxRows.read(row))
                .stream()
                .filter(sandbox -> sandbox.state().restsAt().equals(Optional.of(id)))
                .map(SandboxRecord::name)
                .findFirst();
        if (resting.isEmpty()) {
            find(handle, id).filter(known -> known.state() != SnapshotState.DELETED).ifPresent(known -> update(handle, known.deleted()));
            forgetPassing(handle);
        }
        return resting;
    }

    /**
     * Forgets deleted snapshots that nobody had asked for, as checkpoints: what grew from one grew from what that grew from. Else a sandbox that is captured now and
     * then would leave a row for each time, for ever. One at which a sandbox still is stays, and so does one from which another sandbox branched off, as long as there is
     * something of that: else nobody would know where it came from.
     */
    private static void forgetPassing(Handle handle) {
        Map<String, Row> passing = handle.createQuery("SELECT id, sandbox_id, json_extract(details, '$.parent') AS parent FROM snapshot"
                        + " WHERE state = 'deleted' AND purpose <> 'KEPT'"
                        + " AND id NOT IN (SELECT json_extract(details, '$.snapshot') FROM sandbox"
                        + " WHERE state <> 'destroyed' AND json_extract(details, '$.snapshot') IS NOT NULL)"
                        + " AND id NOT IN (SELECT json_extract(details, '$.parent') FROM snapshot"
                        + " WHERE state = 'creating' AND json_extract(details, '$.parent') IS NOT NULL)")
                .reduceRows(new HashMap<>(), (rows, row) -> {
                    rows.put(row.getColumn("id", String.class), Row.of(row));
                    return rows;
                });
        if (!passing.isEmpty()) {
            keepBranches(handle, passing);
        }
        for (String id : passing.keySet()) {
            String parent = parentOf(id, passing);
            while (passing.containsKey(parent)) {
                parent = parentOf(parent, passing);
            }
            handle.createUpdate("UPDATE snapshot SET details = json_set(details, '$.parent', NULLIF(:parent, '')) WHERE json_extract(details, '$.parent') = :id")
                    .bind("parent", parent)
                    .bind("id", id)
                    .execute();
            handle.execute("DELETE FROM snapshot WHERE id = ?", id);
        }
    }

    /**
     * What the tree hangs together by.
     *
     * @param parent empty if there is none
     */
    private record Row(String sandbox, String parent) {
        static Row of(RowView row) {
            return new Row(row.getColumn("sandbox_id", String.class), Objects.requireNonNullElse(row.getColumn("parent", String.class), ""));
        }
    }

    private static String parentOf(String id, Map<String, Row> rows) {
        return Objects.requireNonNull(rows.get(id)).parent;
    }

    /** Takes those out from which something grew that is of another sandbox. */
    private static void keepBranches(Handle handle, Map<String, Row> passing) {
        Map<String, Row> grown = handle.createQuery("SELECT id, sandbox_id, json_extract(details, '$.parent') AS parent FROM snapshot"
                        + " WHERE json_extract(details, '$.parent') IS NOT NULL")
                .reduceRows(new HashMap<>(), (rows, row) -> {
                    rows.put(row.getColumn("id", String.class), Row.of(row));
                    return rows;
                });
        grown.keySet().removeAll(passing.keySet());
        for (Row one : grown.values()) {
            Row below = one;
            Row above = passing.get(below.parent);
            while (above != null) {
                if (!above.sandbox.equals(below.sandbox)) {
                    passing.remove(below.parent);
                }
                below = above;
                above = passing.get(below.parent);
            }
        }
    }

    @Override
    public Optional<SnapshotRecord> find(SnapshotId id) {
        return reader.transact(handle -> find(handle, id));
    }

    static Optional<SnapshotRecord> find(Handle handle, SnapshotId id) {
        return handle.createQuery(SELECT + "WHERE id = ?").bind(0, id.text()).map((row, _) -> SnapshotRows.read(row)).findOne();
    }

    /** The one that has that name now. */
    static Optional<SnapshotRecord> named(Handle handle, String name) {
        return handle.createQuery(SELECT + "WHERE name = ? AND state <> 'deleted'").bind(0, name).map((row, _) -> SnapshotRows.read(row)).findOne();
    }

    @Override
    public boolean isStep(SnapshotId id) {
        return reader.transact(handle -> SqliteBuilds.holds(handle, id));
    }

    @Override
    public SnapshotRecord resolve(String nameOrId) {
        return reader.transact(handle -> LOOKUP.resolve(handle, nameOrId));
    }

    @Override
    public SnapshotRecord resolveWhole(String nameOrId) {
        return reader.transact(handle -> LOOKUP.resolveWhole(handle, nameOrId));
    }

    @Override
    public List<SnapshotRecord> list(Optional<SnapshotPosition> after, int limit, boolean all, Predicate<SnapshotRecord> wanted) {
        return reader.transact(handle -> {
            try (Stream<SnapshotRecord> rows = handle.createQuery(SELECT
                            + "WHERE state <> 'deleted' AND (:all OR purpose = 'KEPT') AND (created_at, id) > (:created_at, :id)"
                            + " ORDER BY created_at, id")
                    .bind("created_at", after.map(position -> position.createdAt().toEpochMilli()).orElse(Long.MIN_VALUE))
                    .bind("id", after.map(position -> position.id().text()).orElse(""))
                    .bind("all", all)
                    .map((row, _) -> SnapshotRows.read(row))
                    .stream()) {
                return rows.filter(wanted).limit(limit).toList();
            }
        });
    }

    @Override
    public List<SnapshotRecord> of(SandboxId sandbox) {
        return reader.transact(handle -> handle.createQuery(SELECT + "WHERE sandbox_id = ? AND state <> 'deleted' ORDER BY created_at, id")
                .bind(0, sandbox.text())
                .map((row, _) -> SnapshotRows.read(row))
                .list());
    }

    @Override
    public Set<List<String>> chains() {
        return reader.transact(handle -> {
            Set<List<String>> chains = new HashSet<>();
            handle.createQuery("SELECT layers FROM snapshot WHERE state <> 'deleted'")
                    .mapTo(String.class)
                    .forEach(layers -> chains.add(SnapshotRows.layers(layers)));
            handle.createQuery("SELECT " + SandboxRows.COLUMNS + " FROM sandbox WHERE state <> 'destroyed'")
                    .map((row, _) -> SandboxRows.read(row))
                    .forEach(sandbox -> chains.add(sandbox.lineage().layers()));
            return chains;
        });
    }

    @Override
    public Set<String> agentsInUse() {
        return reader.transact(handle -> handle.createQuery(SELECT + "WHERE state <> 'deleted'")
                .map((row, _) -> SnapshotRows.read(row))
                .stream()
                .flatMap(snapshot -> snapshot.memory().stream())
                .map(SnapshotRecord.Memory::agent)
                .collect(Collectors.toSet()));
    }

    @Override
    public Set<SnapshotId> ids() {
        return reader.transact(handle -> handle.createQuery("SELECT id FROM snapshot WHERE state <> 'deleted'")
                .mapTo(String.class)
                .map(SnapshotId::new)
                .collect(Collectors.toSet()));
    }

    @Override
    public Set<String> imagesInUse() {
        return reader.transact(handle ->
                Set.copyOf(handle.createQuery("SELECT DISTINCT image FROM snapshot WHERE state <> 'deleted'").mapTo(String.class).list()));
    }

    /** Refuses a sandbox that is made from a snapshot which was deleted meanwhile: what stands on its layers might be on its way out. */
    static void requireOrigin(Handle handle, SandboxRecord sandbox) {
        Optional<SnapshotId> from = sandbox.lineage().at();
        if (from.isPresent() && find(handle, from.get()).filter(SqliteSnapshots::isReady).isEmpty()) {
            throw LOOKUP.nothing(from.get().text());
        }
    }

    /** Refuses a sandbox that is to go on from a snapshot which was deleted meanwhile. */
    static void requireRest(Handle handle, SandboxRecord before, SandboxRecord next) {
        Optional<SnapshotId> at = next.state().restsAt();
        if (at.isPresent() && !at.equals(before.state().restsAt()) && find(handle, at.get()).filter(SqliteSnapshots::isReady).isEmpty()) {
            throw LOOKUP.nothing(at.get().text());
        }
    }

    private static boolean isReady(SnapshotRecord snapshot) {
        return snapshot.state() == SnapshotState.READY;
    }
}
