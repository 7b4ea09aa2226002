package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Which key made which sandboxes or which snapshot, as rows. */
final class IdempotencyRows {
    private static final Duration KEPT_FOR = Duration.ofHours(24);
    private static final int KEPT = 10_000;

    private record Row(String digest, List<String> made) {}

    private IdempotencyRows() {}

    /** The ids of what a key has made, none if nothing; {@code idempotency_key_reused} if that was for another request. */
    static List<String> made(Handle handle, IdempotencyKey key) {
        Optional<Row> row = handle.createQuery("SELECT digest, made FROM idempotency WHERE key = ? AND at > ?")
                .bind(0, key.text())
                .bind(1, Instant.now().minus(KEPT_FOR).toEpochMilli())
                .map((read, _) -> new Row(read.getString("digest"), List.of(read.getString("made").split(" "))))
                .findOne();
        List<String> made = row.map(known -> counting(handle, known.made())).orElse(List.of());
        if (!made.isEmpty() && !row.orElseThrow().digest().equals(key.digest())) {
            throw new SandglassException(
                    ErrorCode.IDEMPOTENCY_KEY_REUSED,
                    "This Idempotency-Key came with another request before, which made " + made.getFirst()
                            + (made.size() == 1 ? "." : " and " + (made.size() - 1) + " more."),
                    "Take a new key for a new request.");
        }
        return made;
    }

    /** A create that failed or was cut off has made nothing: its key may be tried again. */
    private static List<String> counting(Handle handle, List<String> ids) {
        Set<String> counting = handle.createQuery("SELECT id FROM sandbox WHERE id IN (<ids>) AND NOT (state = 'destroyed' AND started_at IS NULL)"
                        + " UNION ALL SELECT id FROM snapshot WHERE id IN (<ids>)")
                .bindList("ids", ids)
                .mapTo(String.class)
                .set();
        return ids.stream().filter(counting::contains).toList();
    }

    /** Notes what a key has made, in the place of what did not come to anything; {@code idempotency_key_reused} if it has made something for another request. */
    static void put(Handle handle, IdempotencyKey key, List<String> made) {
        made(handle, key);
        long now = Instant.now().toEpochMilli();
        handle.execute("DELETE FROM idempotency WHERE key = ? OR at <= ?", key.text(), now - KEPT_FOR.toMillis());
        handle.execute("INSERT INTO idempotency (key, digest, made, at) VALUES (?, ?, ?, ?)", key.text(), key.digest(), String.join(" ", made), now);
        handle.execute("DELETE FROM idempotency WHERE at < (SELECT at FROM idempotency ORDER BY at DESC LIMIT 1 OFFSET ?)", KEPT - 1);
    }

    /** What was made was taken back before anybody heard of it. */
    static void free(Handle handle, String made) {
        handle.execute("DELETE FROM idempotency WHERE made = ?", made);
    }
}
