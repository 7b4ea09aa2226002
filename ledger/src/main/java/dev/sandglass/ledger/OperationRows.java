package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.OperationRecord;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.OperationStatus;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Operations as rows; those that have ended are history, and the oldest go with each write. */
final class OperationRows {
    static final int KEPT = 1000;
    private static final Duration KEPT_FOR = Duration.ofHours(24);

    private OperationRows() {}

    static void keep(Handle handle, OperationRecord operation) {
        OperationStatus status = operation.status();
        long now = Instant.now().toEpochMilli();
        handle.createUpdate("INSERT INTO operation (id, at, running, sandbox_id, status) VALUES (:id, :at, :running, :sandbox_id, :status)"
                        + " ON CONFLICT (id) DO UPDATE SET at = :at, running = :running, sandbox_id = :sandbox_id, status = :status")
                .bind("id", status.id())
                .bind("at", now)
                .bind("running", status.endedAt() == null ? 1 : 0)
                .bind("sandbox_id", operation.sandbox().map(SandboxId::text).orElse(null))
                .bind("status", Json.write(status))
                .execute();
        if (status.endedAt() != null) {
            handle.execute("DELETE FROM operation WHERE running = 0 AND at <= ?", now - KEPT_FOR.toMillis());
            handle.execute(
                    "DELETE FROM operation WHERE running = 0 AND at < (SELECT at FROM operation WHERE running = 0 ORDER BY at DESC LIMIT 1 OFFSET ?)",
                    KEPT - 1);
        }
    }

    static Optional<OperationRecord> find(Handle handle, String id) {
        return handle.createQuery("SELECT sandbox_id, status FROM operation WHERE id = ?")
                .bind(0, id)
                .map((row, _) -> read(row))
                .findOne();
    }

    static List<OperationRecord> open(Handle handle) {
        return handle.createQuery("SELECT sandbox_id, status FROM operation WHERE running = 1 ORDER BY at, id")
                .map((row, _) -> read(row))
                .list();
    }

    private static OperationRecord read(ResultSet row) throws SQLException {
        OperationStatus status = Json.read(OperationStatus.class, row.getString("status").getBytes(StandardCharsets.UTF_8));
        return new OperationRecord(status, Optional.ofNullable(row.getString("sandbox_id")).map(SandboxId::new));
    }
}
