package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.EventFilter;
import dev.sandglass.engine.ledger.EventPage;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.Event;
import dev.sandglass.wire.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/** Events as rows: written in the transaction of the change that they tell of, the oldest taken away in the same. */
final class EventRows {
    static final int KEPT = 10_000;

    private record Row(long id, long at, String type, String sandboxId, String sandboxName, String data) {
        Event event() {
            EventData read = Json.read(EventData.class, data.getBytes(StandardCharsets.UTF_8));
            return new Event(id, Instant.ofEpochMilli(at), type, sandboxId, sandboxName, read.data());
        }
    }

    private EventRows() {}

    static void add(Handle handle, SandboxId sandbox, String name, Change change) {
        long id = newest(handle) + 1;
        handle.createUpdate("INSERT INTO event (id, at, type, sandbox_id, sandbox_name, data) VALUES (?, ?, ?, ?, ?, ?)")
                .bind(0, id)
                .bind(1, Instant.now().toEpochMilli())
                .bind(2, change.type())
                .bind(3, sandbox.text())
                .bind(4, name)
                .bind(5, Json.write(new EventData(change.data())))
                .execute();
        handle.execute("DELETE FROM event WHERE id <= ?", id - KEPT);
    }

    static EventPage read(Handle handle, long after, EventFilter wanted, int limit) {
        long newest = newest(handle);
        long oldest = handle.createQuery("SELECT COALESCE(MIN(id), ?) FROM event").bind(0, newest + 1).mapTo(Long.class).one();
        return new EventPage(limit == 0 ? List.of() : events(handle, after, wanted, limit), oldest, newest);
    }

    private static List<Event> events(Handle handle, long after, EventFilter wanted, int limit) {
        try (Stream<Row> rows = handle.createQuery(
                        "SELECT id, at, type, sandbox_id, sandbox_name, data FROM event WHERE id > ? ORDER BY id")
                .bind(0, after)
                .map((row, _) -> new Row(
                        row.getLong("id"),
                        row.getLong("at"),
                        row.getString("type"),
                        row.getString("sandbox_id"),
                        row.getString("sandbox_name"),
                        row.getString("data")))
                .stream()) {
            return rows.filter(row -> wanted.matches(row.type(), row.sandboxId(), row.sandboxName()))
                    .limit(limit)
                    .map(Row::event)
                    .toList();
        }
    }

    private static long newest(Handle handle) {
        return handle.createQuery("SELECT COALESCE(MAX(id), 0) FROM event").mapTo(Long.class).one();
    }
}
