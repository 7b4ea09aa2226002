package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.VolumeLedger;
import dev.sandglass.engine.ledger.VolumePosition;
import dev.sandglass.engine.ledger.VolumeRecord;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.VolumeId;
import dev.sandglass.engine.sandbox.VolumeState;
import dev.sandglass.engine.sandbox.VolumeUse;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/** The volumes in the SQLite file. Thread-safe. */
record SqliteVolumes(Connection writer, Connection reader, Reserve reserve) implements VolumeLedger {
    private static final String SELECT = "SELECT id, name, state, details, created_at FROM volume ";
    private static final Lookup<VolumeRecord> LOOKUP = new Lookup<>(
            SELECT, "state = 'ready'", "volume", "vol-", ErrorCode.VOLUME_NOT_FOUND, "sandglass volume ls", (row, _) -> read(row));
    private static final String USERS = "SELECT " + SandboxRows.COLUMNS + " FROM sandbox WHERE id IN (SELECT sandbox_id FROM volume_use";

    @Override
    public void insert(VolumeRecord volume) {
        writer.transact(handle -> {
            if (handle.createQuery("SELECT COUNT(*) FROM volume WHERE name = ?").bind(0, volume.name()).mapTo(Integer.class).one() > 0) {
                throw new SandglassException(
                        ErrorCode.NAME_TAKEN,
                        "There is a volume with the name " + volume.name() + " already.",
                        "Choose another name, or remove it with `sandglass volume rm " + volume.name() + "`.");
            }
            if (handle.createQuery("SELECT COUNT(*) FROM volume").mapTo(Integer.class).one() >= MOST) {
                throw new SandglassException(
                        ErrorCode.LIMIT_REACHED, "There are " + MOST + " volumes, and more are not kept.", "Remove one with `sandglass volume rm`.");
            }
            return handle.execute(
                    "INSERT INTO volume (id, name, state, details, created_at) VALUES (?, ?, ?, ?, ?)",
                    volume.id().text(),
                    volume.name(),
                    volume.state().text(),
                    Json.write(VolumeDetails.of(volume)),
                    volume.createdAt().toEpochMilli());
        });
    }

    @Override
    public void ready(VolumeId id) {
        writer.transact(handle -> handle.execute("UPDATE volume SET state = 'ready' WHERE id = ? AND state = 'creating'", id.text()));
    }

    @Override
    public VolumeRecord resolve(String nameOrId) {
        return reader.transact(handle -> LOOKUP.resolve(handle, nameOrId));
    }

    @Override
    public VolumeRecord resolveWhole(String nameOrId) {
        return reader.transact(handle -> LOOKUP.resolveWhole(handle, nameOrId));
    }

    @Override
    public Optional<VolumeRecord> find(VolumeId id) {
        return reader.transact(handle -> find(handle, id));
    }

    private static Optional<VolumeRecord> find(Handle handle, VolumeId id) {
        return handle.createQuery(SELECT + "WHERE id = ?").bind(0, id.text()).map((row, _) -> read(row)).findOne();
    }

    @Override
    public List<VolumeRecord> list(Optional<VolumePosition> after, Predicate<VolumeRecord> wanted, int limit) {
        return reader.transact(handle -> {
            try (Stream<VolumeRecord> rows = handle.createQuery(
                            SELECT + "WHERE state = 'ready' AND (created_at, id) > (:created_at, :id) ORDER BY created_at, id")
                    .bind("created_at", after.map(position -> position.createdAt().toEpochMilli()).orElse(Long.MIN_VALUE))
                    .bind("id", after.map(position -> position.id().text()).orElse(""))
                    .map((row, _) -> read(row))
                    .stream()) {
                return rows.filter(wanted).limit(limit).toList();
            }
        });
    }

    @Override
    public List<User> users(VolumeId id) {
        return reader.transact(handle -> users(handle, id));
    }

    private static List<User> users(Handle handle, VolumeId id) {
        return handle.createQuery(USERS + " WHERE volume_id = ?) ORDER BY created_at, id").bind(0, id.text()).map((row, _) -> SandboxRows.read(row)).stream()
                .flatMap(sandbox -> uses(sandbox).filter(user -> user.use().volume().equals(id)))
                .toList();
    }

    @Override
    public Map<VolumeId, List<User>> users() {
        return reader.transact(handle -> {
            Map<VolumeId, List<User>> users = new HashMap<>();
            handle.createQuery(USERS + ") ORDER BY created_at, id").map((row, _) -> SandboxRows.read(row)).stream()
                    .flatMap(SqliteVolumes::uses)
                    .forEach(user -> users.computeIfAbsent(user.use().volume(), _ -> new ArrayList<>()).add(user));
            return users;
        });
    }

    private static Stream<User> uses(SandboxRecord sandbox) {
        return sandbox.volumes().stream().map(use -> new User(sandbox.id(), sandbox.name(), use));
    }

    @Override
    public List<User> delete(VolumeId id) {
        return reserve.lend(() -> writer.transact(handle -> {
            List<User> users = users(handle, id);
            if (users.isEmpty()) {
                handle.execute("UPDATE volume SET state = 'deleting' WHERE id = ?", id.text());
            }
            return users;
        }));
    }

    @Override
    public List<VolumeRecord> unfinished() {
        return reader.transact(handle -> handle.createQuery(SELECT + "WHERE state <> 'ready'").map((row, _) -> read(row)).list());
    }

    @Override
    public void forget(VolumeId id) {
        reserve.lend(() -> writer.transact(handle -> handle.execute("DELETE FROM volume WHERE id = ? AND state <> 'ready'", id.text())));
    }

    /** Notes which volumes a new sandbox has, or refuses them. */
    static void use(Handle handle, SandboxRecord sandbox) {
        for (VolumeUse use : sandbox.volumes()) {
            require(handle, sandbox, use);
            handle.execute(
                    "INSERT INTO volume_use (sandbox_id, volume_id, mode) VALUES (?, ?, ?)", sandbox.id().text(), use.volume().text(), use.mode().text());
        }
        if (sandbox.state() instanceof SandboxState.Running) {
            settle(handle, sandbox);
        }
    }

    /** The same for one that had others. Copies that were made for one that did not come to be go with it. */
    static void use(Handle handle, SandboxRecord before, SandboxRecord next) {
        if (next.state() instanceof SandboxState.Destroyed && !before.volumes().isEmpty()) {
            handle.execute(
                    "UPDATE volume SET state = 'deleting' WHERE state = 'creating' AND id IN (SELECT volume_id FROM volume_use WHERE sandbox_id = ?)",
                    next.id().text());
        }
        if (!before.volumes().equals(next.volumes())) {
            handle.execute("DELETE FROM volume_use WHERE sandbox_id = ?", next.id().text());
            use(handle, next);
        } else if (next.state() instanceof SandboxState.Running && !(before.state() instanceof SandboxState.Running)) {
            settle(handle, next);
        }
    }

    /** What was copied for a sandbox stays with the word that it runs, unless others have to be there too. */
    private static void settle(Handle handle, SandboxRecord sandbox) {
        if (!sandbox.volumes().isEmpty()) {
            handle.execute(
                    "UPDATE volume SET state = 'ready' WHERE state = 'creating' AND id IN (SELECT volume_id FROM volume_use WHERE sandbox_id = ?)"
                            + " AND NOT EXISTS (SELECT 1 FROM unconfirmed WHERE sandbox_id = ?)",
                    sandbox.id().text(),
                    sandbox.id().text());
        }
    }

    /** All copies of a fork are there, and so are the volumes that were copied for them. */
    static void confirm(Handle handle, Collection<String> sandboxes) {
        handle.createUpdate("UPDATE volume SET state = 'ready' WHERE state = 'creating' AND id IN (SELECT volume_id FROM volume_use WHERE sandbox_id IN (<ids>))")
                .bindList("ids", List.copyOf(sandboxes))
                .execute();
    }

    private static void require(Handle handle, SandboxRecord sandbox, VolumeUse use) {
        Optional<VolumeRecord> volume = find(handle, use.volume()).filter(found -> found.state() != VolumeState.DELETING);
        if (volume.isEmpty()) {
            throw LOOKUP.nothing(use.name());
        }
        for (User user : users(handle, use.volume())) {
            if (!user.id().equals(sandbox.id()) && !user.use().mode().goesWith(use.mode())) {
                throw new SandglassException(
                        ErrorCode.CONFLICT,
                        "The volume " + use.name() + " is in use: the sandbox " + user.name() + " has it at " + user.use().path() + " (" + user.use().mode().text()
                                + "), and may write to it.",
                        "Mount it read-only (" + use.name() + ":" + use.path() + ":ro), or as shared in both; `sandglass volume fork " + use.name()
                                + "` makes a copy, `sandglass volume detach " + user.name() + " " + use.name() + "` frees it.");
            }
        }
    }

    private static VolumeRecord read(ResultSet row) throws SQLException {
        VolumeDetails details = Json.read(VolumeDetails.class, row.getString("details").getBytes(StandardCharsets.UTF_8));
        return new VolumeRecord(
                new VolumeId(row.getString("id")),
                row.getString("name"),
                VolumeState.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                details.snapshot(),
                details.bytes(),
                Optional.ofNullable(details.source()).map(VolumeId::new),
                details.labels(),
                Instant.ofEpochMilli(row.getLong("created_at")));
    }
}
