package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.ReadyLedger;
import dev.sandglass.engine.ledger.ReadyRecord;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Optional;

/** Pools of ready sandboxes in the SQLite file. Thread-safe. */
record SqliteReady(Connection writer, Connection reader) implements ReadyLedger {
    @Override
    public List<ReadyRecord> all() {
        return reader.transact(handle -> handle.createQuery("SELECT name, least, most, warm_up FROM ready ORDER BY name")
                .map((row, _) -> new ReadyRecord(row.getString("name"), row.getInt("least"), row.getInt("most"), Optional.ofNullable(row.getString("warm_up"))))
                .list());
    }

    @Override
    public void put(ReadyRecord pool) {
        writer.transact(handle -> {
            handle.execute("DELETE FROM ready WHERE name = ?", pool.name());
            if (handle.createQuery("SELECT COUNT(*) FROM ready").mapTo(Integer.class).one() >= MOST) {
                throw new SandglassException(ErrorCode.LIMIT_REACHED, "There are " + MOST + " pools, and more are not kept.", "Remove one with `sandglass pool rm`.");
            }
            return handle.execute("INSERT INTO ready (name, least, most, warm_up) VALUES (?, ?, ?, ?)", pool.name(), pool.least(), pool.most(), pool.warmUp().orElse(null));
        });
    }

    @Override
    public boolean remove(String name) {
        return writer.transact(handle -> handle.execute("DELETE FROM ready WHERE name = ?", name)) > 0;
    }
}
