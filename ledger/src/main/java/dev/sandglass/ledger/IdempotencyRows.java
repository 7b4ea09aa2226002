package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.sandbox.SandboxId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Which key made which sandbox, as rows. */
final class IdempotencyRows {
    private static final Duration KEPT_FOR = Duration.ofHours(24);
    private static final int KEPT = 10_000;

    /** What a key has made. */
    record Made(String digest, SandboxId sandbox) {}

    private IdempotencyRows() {}

    static Optional<Made> find(Handle handle, String key) {
        return handle.createQuery("SELECT digest, sandbox_id FROM idempotency WHERE key = ? AND at > ?")
                .bind(0, key)
                .bind(1, Instant.now().minus(KEPT_FOR).toEpochMilli())
                .map((row, _) -> new Made(row.getString("digest"), new SandboxId(row.getString("sandbox_id"))))
                .findOne();
    }

    static void put(Handle handle, IdempotencyKey key, SandboxId sandbox) {
        long now = Instant.now().toEpochMilli();
        handle.execute("DELETE FROM idempotency WHERE key = ? OR at <= ?", key.text(), now - KEPT_FOR.toMillis());
        handle.execute(
                "INSERT INTO idempotency (key, digest, sandbox_id, at) VALUES (?, ?, ?, ?)", key.text(), key.digest(), sandbox.text(), now);
        handle.execute("DELETE FROM idempotency WHERE at < (SELECT at FROM idempotency ORDER BY at DESC LIMIT 1 OFFSET ?)", KEPT - 1);
    }
}
