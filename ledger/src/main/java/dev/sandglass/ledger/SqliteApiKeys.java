package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.ApiKeyLedger;
import dev.sandglass.engine.ledger.ApiKeyRecord;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Instant;
import java.util.List;

/** Keys of the API in the SQLite file. Thread-safe. */
record SqliteApiKeys(Connection writer, Connection reader) implements ApiKeyLedger {
    @Override
    public void insert(ApiKeyRecord key) {
        writer.transact(handle -> {
            if (handle.createQuery("SELECT COUNT(*) FROM api_key WHERE name = ?").bind(0, key.name()).mapTo(Integer.class).one() > 0) {
                throw new SandglassException(
                        ErrorCode.NAME_TAKEN, "There is a key with the name " + key.name() + " already.", "Choose another name, or revoke that one first.");
            }
            if (handle.createQuery("SELECT COUNT(*) FROM api_key").mapTo(Integer.class).one() >= MOST) {
                throw new SandglassException(ErrorCode.LIMIT_REACHED, "There are " + MOST + " keys, and there cannot be more.", "Revoke one with `sandglass key revoke`.");
            }
            return handle.execute(
                    "INSERT INTO api_key (name, hash, hint, created_at) VALUES (?, ?, ?, ?)", key.name(), key.hash(), key.hint(), key.createdAt().toEpochMilli());
        });
    }

    @Override
    public List<ApiKeyRecord> all() {
        return reader.transact(handle -> handle.createQuery("SELECT name, hash, hint, created_at FROM api_key ORDER BY name")
                .map((row, _) -> new ApiKeyRecord(
                        row.getString("name"), row.getString("hash"), row.getString("hint"), Instant.ofEpochMilli(row.getLong("created_at"))))
                .list());
    }

    @Override
    public void remove(String name) {
        writer.transact(handle -> {
            int removed = handle.execute("DELETE FROM api_key WHERE name = ?", name);
            if (removed == 0) {
                throw new SandglassException(ErrorCode.KEY_NOT_FOUND, "There is no key " + name + ".", "`sandglass key ls` lists those that there are.");
            }
            return removed;
        });
    }
}
