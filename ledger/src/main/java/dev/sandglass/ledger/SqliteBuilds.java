package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.BuildLedger;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.Build;
import dev.sandglass.wire.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** Builds in the SQLite file. Thread-safe. */
record SqliteBuilds(Connection writer, Connection reader) implements BuildLedger {
    private static final int KEPT = 200;

    @Override
    public void keep(Build build, String log) {
        writer.transact(handle -> {
            handle.createUpdate("INSERT INTO build (id, at, running, subject, status, log) VALUES (:id, :at, :running, :subject, :status, :log)"
                            + " ON CONFLICT (id) DO UPDATE SET running = :running, status = :status, log = :log")
                    .bind("id", build.id())
                    .bind("at", build.startedAt().toEpochMilli())
                    .bind("running", build.endedAt() == null ? 1 : 0)
                    .bind("subject", build.subject())
                    .bind("status", Json.write(build))
                    .bind("log", log)
                    .execute();
            return handle.execute("DELETE FROM build WHERE running = 0 AND at < (SELECT at FROM build WHERE running = 0 ORDER BY at DESC LIMIT 1 OFFSET ?)", KEPT - 1);
        });
    }

    @Override
    public Optional<Build> find(String id) {
        return reader.transact(handle -> handle.createQuery("SELECT status FROM build WHERE id = ?").bind(0, id).mapTo(String.class).findOne().map(SqliteBuilds::read));
    }

    @Override
    public Optional<String> log(String id) {
        return reader.transact(handle -> handle.createQuery("SELECT log FROM build WHERE id = ?").bind(0, id).mapTo(String.class).findOne());
    }

    @Override
    public List<Build> list(Optional<String> subject, int limit) {
        return reader.transact(handle -> handle.createQuery("SELECT status FROM build WHERE (:all OR subject = :subject) ORDER BY at DESC, id LIMIT :limit")
                .bind("all", subject.isEmpty())
                .bind("subject", subject.orElse(""))
                .bind("limit", limit)
                .mapTo(String.class)
                .map(SqliteBuilds::read)
                .list());
    }

    @Override
    public List<Build> open() {
        return reader.transact(handle -> handle.createQuery("SELECT status FROM build WHERE running = 1 ORDER BY at, id").mapTo(String.class).map(SqliteBuilds::read).list());
    }

    private static Build read(String status) {
        return Json.read(Build.class, status.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public Optional<SnapshotId> step(String key) {
        return writer.transact(handle -> {
            Optional<SnapshotId> ready = handle.createQuery(
                            "SELECT snapshot FROM build_step WHERE key = ? AND snapshot IN (SELECT id FROM snapshot WHERE state = 'ready')")
                    .bind(0, key)
                    .mapTo(String.class)
                    .findOne()
                    .map(SnapshotId::new);
            if (ready.isPresent()) {
                handle.execute("UPDATE build_step SET used_at = ? WHERE key = ?", Instant.now().toEpochMilli(), key);
            }
            return ready;
        });
    }

    @Override
    public List<SnapshotId> keepStep(String key, SnapshotId snapshot, int most) {
        return writer.transact(handle -> {
            List<SnapshotId> gone = new ArrayList<>(removed(handle.createQuery("DELETE FROM build_step WHERE key = ? RETURNING snapshot").bind(0, key)));
            handle.execute("INSERT INTO build_step (key, snapshot, used_at) VALUES (?, ?, ?)", key, snapshot.text(), Instant.now().toEpochMilli());
            gone.addAll(removed(handle.createQuery(
                            "DELETE FROM build_step WHERE key NOT IN (SELECT key FROM build_step ORDER BY used_at DESC, key LIMIT ?) RETURNING snapshot")
                    .bind(0, most)));
            return gone;
        });
    }

    @Override
    public List<SnapshotId> forgetSteps() {
        return writer.transact(handle -> removed(handle.createQuery("DELETE FROM build_step RETURNING snapshot")));
    }

    private static List<SnapshotId> removed(Query removal) {
        return removal.mapTo(String.class).map(SnapshotId::new).list();
    }

    /** Whether a step left it for later builds. */
    static boolean holds(Handle handle, SnapshotId snapshot) {
        return handle.createQuery("SELECT COUNT(*) FROM build_step WHERE snapshot = ?").bind(0, snapshot.text()).mapTo(Integer.class).one() > 0;
    }
}
