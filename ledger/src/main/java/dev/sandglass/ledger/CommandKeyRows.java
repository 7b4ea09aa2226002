package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.KeyedCommand;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Which key has started which command, as rows. */
final class CommandKeyRows {
    private static final Duration KEPT_FOR = Duration.ofHours(24);
    private static final int KEPT = 10_000;
    /** One sandbox's keys push out few of others. */
    private static final int KEPT_OF_ONE = 1_000;

    private record Row(String digest, KeyedCommand command) {}

    private CommandKeyRows() {}

    static Optional<KeyedCommand> find(Handle handle, SandboxId sandbox, IdempotencyKey key) {
        Optional<Row> row = handle.createQuery(
                        "SELECT digest, life, command, started FROM command_key WHERE sandbox_id = ? AND key = ? AND at > ?")
                .bind(0, sandbox.text())
                .bind(1, key.text())
                .bind(2, Instant.now().minus(KEPT_FOR).toEpochMilli())
                .map((read, _) -> new Row(
                        read.getString("digest"),
                        new KeyedCommand(Instant.ofEpochMilli(read.getLong("life")), read.getInt("command"), read.getInt("started") == 1)))
                .findOne();
        // What was refused has started nothing: its key may be tried again, with whatever request.
        if (row.isPresent() && row.get().command().started() && !row.get().digest().equals(key.digest())) {
            throw new SandglassException(
                    ErrorCode.IDEMPOTENCY_KEY_REUSED,
                    "This Idempotency-Key came with another request before, which started cmd-" + row.get().command().number() + ".",
                    "Take a new key for a new request.");
        }
        return row.filter(known -> known.digest().equals(key.digest())).map(Row::command);
    }

    static int highest(Handle handle, SandboxId sandbox, Instant life) {
        return handle.createQuery("SELECT COALESCE(MAX(command), 0) FROM command_key WHERE sandbox_id = ? AND life = ?")
                .bind(0, sandbox.text())
                .bind(1, life.toEpochMilli())
                .mapTo(Integer.class)
                .one();
    }

    static void keep(Handle handle, SandboxId sandbox, IdempotencyKey key, KeyedCommand command) {
        long now = Instant.now().toEpochMilli();
        handle.execute(
                "DELETE FROM command_key WHERE (sandbox_id = ? AND key = ?) OR at <= ?", sandbox.text(), key.text(), now - KEPT_FOR.toMillis());
        handle.execute(
                "INSERT INTO command_key (sandbox_id, key, digest, life, command, started, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                sandbox.text(),
                key.text(),
                key.digest(),
                command.life().toEpochMilli(),
                command.number(),
                command.started() ? 1 : 0,
                now);
        handle.execute(
                "DELETE FROM command_key WHERE sandbox_id = ? AND at < (SELECT at FROM command_key WHERE sandbox_id = ? ORDER BY at DESC LIMIT 1 OFFSET ?)",
                sandbox.text(),
                sandbox.text(),
                KEPT_OF_ONE - 1);
        handle.execute("DELETE FROM command_key WHERE at < (SELECT at FROM command_key ORDER BY at DESC LIMIT 1 OFFSET ?)", KEPT - 1);
    }
}
