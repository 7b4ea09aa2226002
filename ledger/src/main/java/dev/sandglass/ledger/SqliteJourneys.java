package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.JourneyLedger;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.NetworkAttempt;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** What sandboxes tried to reach, in the SQLite file. Thread-safe. */
record SqliteJourneys(Connection writer, Connection reader) implements JourneyLedger {
    static final int KEPT = 1000;

    @Override
    public void add(Collection<Journey> journeys) {
        writer.transactUnsynced(handle -> add(handle, journeys));
    }

    private static int add(Handle handle, Collection<Journey> journeys) {
        int added = 0;
        try (PreparedBatch batch = handle.prepareBatch(
                "INSERT INTO journey (sandbox_id, data) SELECT id, ? FROM sandbox WHERE id = ? AND state <> 'destroyed'")) {
            journeys.forEach(journey -> batch.bind(0, Json.write(journey.toWire())).bind(1, journey.sandbox().text()).add());
            for (int rows : batch.execute()) {
                added += rows;
            }
        }
        for (String sandbox : journeys.stream().map(journey -> journey.sandbox().text()).collect(Collectors.toSet())) {
            handle.execute(
                    "DELETE FROM journey WHERE sandbox_id = ? AND id <= (SELECT id FROM journey WHERE sandbox_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
                    sandbox,
                    sandbox,
                    KEPT);
        }
        return added;
    }

    static void forget(Handle handle, SandboxId sandbox) {
        handle.execute("DELETE FROM journey WHERE sandbox_id = ?", sandbox.text());
    }

    @Override
    public Page read(SandboxId sandbox, long after, int limit) {
        return reader.transact(handle -> {
            List<NetworkAttempt> attempts = handle.createQuery("SELECT id, data FROM journey WHERE sandbox_id = ? AND id > ? ORDER BY id LIMIT ?")
                    .bind(0, sandbox.text())
                    .bind(1, after)
                    .bind(2, limit)
                    .map((row, _) -> Json.read(NetworkAttempt.class, row.getString("data").getBytes(StandardCharsets.UTF_8)).numbered(row.getLong("id")))
                    .list();
            return new Page(attempts, after > 0 && isTrimmed(handle, sandbox, after));
        });
    }

    /** Those of a sandbox go from the oldest on, and only when there are as many as are kept. */
    private static boolean isTrimmed(Handle handle, SandboxId sandbox, long after) {
        return handle.createQuery("SELECT COUNT(*) >= ? AND MIN(id) > ? FROM journey WHERE sandbox_id = ?")
                .bind(0, KEPT)
                .bind(1, after + 1)
                .bind(2, sandbox.text())
                .mapTo(Boolean.class)
                .one();
    }
}
