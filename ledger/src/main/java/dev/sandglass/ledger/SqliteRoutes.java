package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.PortRecord;
import dev.sandglass.engine.ledger.RouteLedger;
import dev.sandglass.engine.ledger.RouteRecord;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Routes in the SQLite file. Thread-safe.
 *
 * @param told called after a write that made an event
 */
record SqliteRoutes(Connection writer, Connection reader, Runnable told) implements RouteLedger {
    @Override
    public void insert(RouteRecord route, Change change) {
        writer.transact(handle -> {
            String sandbox = requireThere(handle, route.sandbox());
            if (count(handle, "sandbox_id = ? AND name = ?", route.sandbox().text(), route.name()) > 0) {
                throw new SandglassException(
                        ErrorCode.NAME_TAKEN,
                        "The sandbox " + sandbox + " has a route with the name " + route.name() + " already.",
                        "Choose another name, or remove it with `sandglass route rm " + sandbox + " " + route.name() + "`.");
            }
            if (count(handle, "sandbox_id = ?", route.sandbox().text()) >= MOST) {
                throw new SandglassException(
                        ErrorCode.LIMIT_REACHED, "The sandbox " + sandbox + " has " + MOST + " routes, and more are not kept.", "Remove one with `sandglass route rm`.");
            }
            handle.execute(
                    "INSERT INTO route (sandbox_id, name, description, secret, generation, created_at) VALUES (?, ?, ?, ?, ?, ?)",
                    route.sandbox().text(), route.name(), route.description(), route.secret(), route.generation(), route.createdAt().toEpochMilli());
            EventRows.add(handle, route.sandbox(), sandbox, change);
            return true;
        });
        told.run();
    }

    @Override
    public void replace(RouteRecord route) {
        writer.transact(handle -> requireOne(
                handle.execute(
                        "UPDATE route SET description = ?, secret = ?, generation = ? WHERE sandbox_id = ? AND name = ?",
                        route.description(), route.secret(), route.generation(), route.sandbox().text(), route.name()),
                route.name()));
    }

    @Override
    public void remove(SandboxId sandbox, String name, Change change) {
        writer.transact(handle -> {
            requireOne(handle.execute("DELETE FROM route WHERE sandbox_id = ? AND name = ?", sandbox.text(), name), name);
            EventRows.add(handle, sandbox, handle.createQuery("SELECT name FROM sandbox WHERE id = ?").bind(0, sandbox.text()).mapTo(String.class).one(), change);
            return true;
        });
        told.run();
    }

    @Override
    public List<RouteRecord> all() {
        return reader.transact(handle -> handle.createQuery("SELECT sandbox_id, name, description, secret, generation, created_at FROM route ORDER BY sandbox_id, name")
                .map((row, _) -> new RouteRecord(
                        new SandboxId(row.getString("sandbox_id")),
                        row.getString("name"),
                        row.getString("description"),
                        row.getString("secret"),
                        row.getString("generation"),
                        Instant.ofEpochMilli(row.getLong("created_at"))))
                .list());
    }

    @Override
    public void keep(PortRecord port) {
        writer.transact(handle -> {
            requireThere(handle, port.sandbox());
            return handle.execute("INSERT OR REPLACE INTO port_link (sandbox_id, port, generation) VALUES (?, ?, ?)", port.sandbox().text(), port.port(), port.generation());
        });
    }

    @Override
    public List<PortRecord> ports() {
        return reader.transact(handle -> handle.createQuery("SELECT sandbox_id, port, generation FROM port_link ORDER BY sandbox_id, port")
                .map((row, _) -> new PortRecord(new SandboxId(row.getString("sandbox_id")), row.getInt("port"), row.getString("generation")))
                .list());
    }

    static void forget(Handle handle, SandboxId sandbox) {
        handle.execute("DELETE FROM route WHERE sandbox_id = ?", sandbox.text());
        handle.execute("DELETE FROM port_link WHERE sandbox_id = ?", sandbox.text());
    }

    /** @return the name of the sandbox */
    private static String requireThere(Handle handle, SandboxId sandbox) {
        return handle.createQuery("SELECT name FROM sandbox WHERE id = ? AND state NOT IN ('destroying', 'destroyed')")
                .bind(0, sandbox.text())
                .mapTo(String.class)
                .findOne()
                .orElseThrow(() -> new SandglassException(ErrorCode.SANDBOX_NOT_FOUND, "There is no sandbox " + sandbox + ".", "`sandglass ls` lists those that exist."));
    }

    private static int requireOne(int changed, String name) {
        if (changed != 1) {
            throw new SandglassException(ErrorCode.ROUTE_NOT_FOUND, "There is no route " + name + ".", "`sandglass route ls` lists those that there are.");
        }
        return changed;
    }

    private static int count(Handle handle, String where, Object... values) {
        return handle.select("SELECT COUNT(*) FROM route WHERE " + where, values).mapTo(Integer.class).one();
    }
}
