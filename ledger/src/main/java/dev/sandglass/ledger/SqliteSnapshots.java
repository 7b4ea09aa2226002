package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.SnapshotLedger;
import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** The snapshots in the SQLite file. Thread-safe. */
record SqliteSnapshots(Connection writer, Connection reader) implements SnapshotLedger {
    private static final String SELECT = "SELECT " + SnapshotRows.COLUMNS + " FROM snapshot ";
    private static final Lookup<SnapshotRecord> LOOKUP = new Lookup<>(
            SELECT, "state = 'ready'", "snapshot", "snap-", ErrorCode.SNAPSHOT_NOT_FOUND, "sandglass snapshot ls", (row, _) -> SnapshotRows.read(row));

    @Override
    public void insert(SnapshotRecord snapshot) {
        writer.transact(handle -> {
            requireFree(handle, snapshot);
            return SnapshotRows.bind(
                            handle.createUpdate("INSERT INTO snapshot (" + SnapshotRows.COLUMNS + ") VALUES (" + SnapshotRows.VALUES + ")"), snapshot)
                    .execute();
        });
    }

    private static void requireFree(Handle handle, SnapshotRecord snapshot) {
        if (snapshot.name().isEmpty()) {
            return;
        }
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
            int changed = SnapshotRows.bind(
                            handle.createUpdate("UPDATE snapshot SET (" + SnapshotRows.COLUMNS + ") = (" + SnapshotRows.VALUES
                                    + ") WHERE id = :id AND version = :version - 1"),
                            next)
                    .execute();
            if (changed != 1) {
                throw new SandglassException(
                        ErrorCode.INTERNAL,
                        "The record of " + next.id() + " was changed by somebody else.",
                        "Only one daemon may use a data directory.");
            }
            return changed;
        });
    }

    @Override
    public Optional<SnapshotRecord> find(SnapshotId id) {
        return reader.transact(handle -> find(handle, id));
    }

    private static Optional<SnapshotRecord> find(Handle handle, SnapshotId id) {
        return handle.createQuery(SELECT + "WHERE id = ?").bind(0, id.text()).map((row, _) -> SnapshotRows.read(row)).findOne();
    }

    @Override
    public SnapshotRecord resolve(String nameOrId) {
        return reader.transact(handle -> LOOKUP.resolve(handle, nameOrId));
    }

    @Override
    public List<SnapshotRecord> list(Optional<SnapshotId> after, int limit, boolean all) {
        return reader.transact(handle -> handle.createQuery(SELECT
                        + "WHERE state <> 'deleted' AND (:all OR purpose = 'KEPT') AND (created_at, id) > (COALESCE((SELECT created_at FROM snapshot WHERE id = :after), -1), :after)"
                        + " ORDER BY created_at, id LIMIT :limit")
                .bind("after", after.map(SnapshotId::text).orElse(""))
                .bind("limit", limit)
                .bind("all", all)
                .map((row, _) -> SnapshotRows.read(row))
                .list());
    }

    @Override
    public List<SnapshotRecord> of(SandboxId sandbox) {
        return reader.transact(handle -> handle.createQuery(SELECT + "WHERE sandbox_id = ? AND state <> 'deleted' ORDER BY created_at, id")
                .bind(0, sandbox.text())
                .map((row, _) -> SnapshotRows.read(row))
                .list());
    }

    @Override
    public Set<String> layersInUse() {
        return reader.transact(handle -> {
            Set<String> used = new HashSet<>();
            handle.createQuery("SELECT layers FROM snapshot WHERE state <> 'deleted'")
                    .mapTo(String.class)
                    .forEach(layers -> used.addAll(SnapshotRows.layers(layers)));
            handle.createQuery("SELECT " + SandboxRows.COLUMNS + " FROM sandbox WHERE state <> 'destroyed'")
                    .map((row, _) -> SandboxRows.read(row))
                    .forEach(sandbox -> used.addAll(sandbox.lineage().layers()));
            return used;
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

    private static boolean isReady(SnapshotRecord snapshot) {
        return snapshot.state() == SnapshotState.READY;
    }
}
