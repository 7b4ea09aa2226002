package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.EventFilter;
import dev.sandglass.engine.ledger.EventPage;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.Event;
import dev.sandglass.wire.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** Events as rows: written in the transaction of the change that they tell of, the oldest taken away in the same. */
final class EventRows {
    static final int KEPT = 10_000;
    private static final String COMMAND = "json_extract(data, '$.data.command')";

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

    static boolean addOnce(Handle handle, SandboxRecord sandbox, Change change, String command, Instant at) {
        if (isForgotten(handle, at) || has(handle, sandbox, change.type(), command)) {
            return false;
        }
        add(handle, sandbox.id(), sandbox.name(), change);
        return true;
    }

    /** Whether an event of that time would be no longer kept: nobody can tell whether there was one. */
    private static boolean isForgotten(Handle handle, Instant at) {
        return handle.createQuery("SELECT COUNT(*) FROM event WHERE id = (SELECT MIN(id) FROM event) AND id > 1 AND at > ?")
                        .bind(0, at.toEpochMilli())
                        .mapTo(Long.class)
                        .one()
                > 0;
    }

    private static boolean has(Handle handle, SandboxRecord sandbox, String type, String command) {
        return about(handle, "COUNT(*)", "= ?", sandbox, type).bind(3, command).mapTo(Long.class).one() > 0;
    }

    static Set<String> told(Handle handle, SandboxRecord sandbox, String type) {
        return about(handle, COMMAND, "IS NOT NULL", sandbox, type).mapTo(String.class).collect(Collectors.toSet());
    }

    private static Query about(Handle handle, String what, String which, SandboxRecord sandbox, String type) {
        return handle.createQuery(
                        "SELECT " + what + " FROM event WHERE sandbox_id = ? AND type = ? AND at >= ? AND " + COMMAND + " " + which)
                .bind(0, sandbox.id().text())
                .bind(1, type)
                .bind(2, sandbox.startedAt().orElse(Instant.EPOCH).toEpochMilli());
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
