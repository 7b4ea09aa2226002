package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.ledger.TemplateLedger;
import dev.sandglass.engine.ledger.TemplateRecord;
import dev.sandglass.engine.ledger.TemplateTag;
import dev.sandglass.engine.ledger.VersionRecord;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;

/** Templates in the SQLite file. Thread-safe. */
record SqliteTemplates(Connection writer, Connection reader) implements TemplateLedger {
    private static final String DEFAULT = "default";
    private static final String COLUMNS = "name, origin, recipe, current, created_at, updated_at";

    @Override
    public void insert(TemplateRecord template) {
        writer.transact(handle -> {
            requireNoTemplate(handle, template.name());
            if (handle.createQuery("SELECT COUNT(*) FROM snapshot WHERE name = ? AND state <> 'deleted'").bind(0, template.name()).mapTo(Integer.class).one() > 0) {
                throw new SandglassException(
                        ErrorCode.NAME_TAKEN,
                        "There is a snapshot with the name " + template.name() + " already.",
                        "Choose another name, or remove it with `sandglass snapshot rm " + template.name() + "`: what runs on it goes on.");
            }
            if (handle.createQuery("SELECT COUNT(*) FROM template").mapTo(Integer.class).one() >= MOST) {
                throw new SandglassException(ErrorCode.LIMIT_REACHED, "There are " + MOST + " templates, and more are not kept.", "Remove one with `sandglass template rm`.");
            }
            return handle.createUpdate("INSERT INTO template (" + COLUMNS + ") VALUES (:name, :origin, :recipe, :current, :created_at, :updated_at)")
                    .bind("name", template.name())
                    .bind("origin", template.origin())
                    .bind("recipe", template.recipe())
                    .bind("current", template.current().isPresent() ? template.current().getAsLong() : null)
                    .bind("created_at", template.createdAt().toEpochMilli())
                    .bind("updated_at", template.updatedAt().toEpochMilli())
                    .execute();
        });
    }

    /** Refuses a name that a template has: what is made from it must be the template's. */
    static void requireNoTemplate(Handle handle, String name) {
        if (isThere(handle, name)) {
            throw new SandglassException(
                    ErrorCode.NAME_TAKEN, "There is a template with the name " + name + " already.", "Choose another name, or remove it with `sandglass template rm " + name + "`.");
        }
    }

    private static boolean isThere(Handle handle, String name) {
        return handle.createQuery("SELECT COUNT(*) FROM template WHERE name = ?").bind(0, name).mapTo(Integer.class).one() > 0;
    }

    private static SandglassException unknown(String name) {
        return new SandglassException(ErrorCode.TEMPLATE_NOT_FOUND, "There is no template " + name + ".", "`sandglass template ls` lists those that there are.");
    }

    @Override
    public void replace(String name, String origin, String recipe, Instant updatedAt) {
        writer.transact(handle -> {
            if (handle.execute("UPDATE template SET origin = ?, recipe = ?, updated_at = ? WHERE name = ?", origin, recipe, updatedAt.toEpochMilli(), name) == 0) {
                throw unknown(name);
            }
            return true;
        });
    }

    @Override
    public Optional<TemplateRecord> find(String name) {
        return reader.transact(handle ->
                handle.createQuery("SELECT " + COLUMNS + " FROM template WHERE name = ?").bind(0, name).map((row, _) -> read(row)).findOne());
    }

    @Override
    public List<TemplateRecord> all() {
        return reader.transact(handle -> handle.createQuery("SELECT " + COLUMNS + " FROM template ORDER BY name").map((row, _) -> read(row)).list());
    }

    private static TemplateRecord read(ResultSet row) throws SQLException {
        long current = row.getLong("current");
        return new TemplateRecord(
                row.getString("name"),
                row.getString("origin"),
                row.getString("recipe"),
                current == 0 ? OptionalLong.empty() : OptionalLong.of(current),
                Instant.ofEpochMilli(row.getLong("created_at")),
                Instant.ofEpochMilli(row.getLong("updated_at")));
    }

    @Override
    public void remove(String name) {
        writer.transact(handle -> {
            clear(handle, name);
            return handle.execute("DELETE FROM template WHERE name = ?", name);
        });
    }

    @Override
    public void clear(String name) {
        writer.transact(handle -> {
            clear(handle, name);
            return true;
        });
    }

    private static void clear(Handle handle, String name) {
        List<SnapshotId> snapshots = versions(handle, name).stream().map(VersionRecord::snapshot).toList();
        unname(handle, name);
        handle.execute("DELETE FROM template_tag WHERE template = ?", name);
        handle.execute("DELETE FROM template_version WHERE template = ?", name);
        handle.execute("UPDATE template SET current = NULL WHERE name = ?", name);
        snapshots.forEach(snapshot -> SqliteSnapshots.delete(handle, snapshot));
    }

    @Override
    public List<VersionRecord> versions(String name) {
        return reader.transact(handle -> versions(handle, name));
    }

    private static List<VersionRecord> versions(Handle handle, String name) {
        return handle.createQuery("SELECT template, version, snapshot, digest, build, recipe, built_at FROM template_version WHERE template = ? ORDER BY version DESC")
                .bind(0, name)
                .map((row, _) -> new VersionRecord(
                        row.getString("template"),
                        row.getLong("version"),
                        new SnapshotId(row.getString("snapshot")),
                        row.getString("digest"),
                        Optional.ofNullable(row.getString("build")),
                        Optional.ofNullable(row.getString("recipe")),
                        Instant.ofEpochMilli(row.getLong("built_at"))))
                .list();
    }

    @Override
    public long publish(String template, SnapshotId snapshot, String digest, String recipe, Optional<String> build, List<String> tags, Instant at) {
        return writer.transact(handle -> {
            if (!isThere(handle, template)) {
                throw unknown(template);
            }
            long version = 1 + handle.createQuery("SELECT COALESCE(MAX(version), 0) FROM template_version WHERE template = ?").bind(0, template).mapTo(Long.class).one();
            handle.execute(
                    "INSERT INTO template_version (template, version, snapshot, digest, build, recipe, built_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    template, version, snapshot.text(), digest, build.orElse(null), recipe, at.toEpochMilli());
            if (tags.isEmpty() || tags.contains(DEFAULT)) {
                name(handle, template, snapshot);
                handle.execute("UPDATE template SET current = ? WHERE name = ?", version, template);
            } else {
                keep(handle, template, snapshot);
            }
            tags.stream().filter(tag -> !tag.equals(DEFAULT)).forEach(tag -> tag(handle, template, tag, version, at));
            return version;
        });
    }

    @Override
    public void point(String template, long version) {
        writer.transact(handle -> {
            VersionRecord wanted = versions(handle, template).stream().filter(each -> each.version() == version).findFirst().orElseThrow(() -> unknown(template + " of version " + version));
            name(handle, template, wanted.snapshot());
            return handle.execute("UPDATE template SET current = ? WHERE name = ?", version, template);
        });
    }

    @Override
    public void tag(String template, String tag, long version, Instant at) {
        writer.transact(handle -> {
            tag(handle, template, tag, version, at);
            return true;
        });
    }

    private static void tag(Handle handle, String template, String tag, long version, Instant at) {
        VersionRecord wanted = versions(handle, template).stream().filter(each -> each.version() == version).findFirst().orElseThrow(() -> unknown(template + " of version " + version));
        ready(handle, template, wanted.snapshot());
        handle.execute(
                "INSERT INTO template_tag (template, tag, version, at) VALUES (?, ?, ?, ?) ON CONFLICT (template, tag) DO UPDATE SET version = excluded.version, at = excluded.at",
                template, tag, version, at.toEpochMilli());
        if (tags(handle, template).size() > MOST_TAGS) {
            throw new SandglassException(ErrorCode.LIMIT_REACHED, "The template " + template + " has " + MOST_TAGS + " tags, and more are not kept.", "Take one away first.");
        }
    }

    @Override
    public void untag(String template, String tag) {
        writer.transact(handle -> {
            if (handle.execute("DELETE FROM template_tag WHERE template = ? AND tag = ?", template, tag) == 0) {
                throw unknown(template + " with the tag " + tag);
            }
            return true;
        });
    }

    @Override
    public List<TemplateTag> tags(String template) {
        return reader.transact(handle -> tags(handle, template));
    }

    private static List<TemplateTag> tags(Handle handle, String template) {
        return handle.createQuery("SELECT tag, version, at FROM template_tag WHERE template = ? ORDER BY tag")
                .bind(0, template)
                .map((row, _) -> new TemplateTag(row.getString("tag"), row.getLong("version"), Instant.ofEpochMilli(row.getLong("at"))))
                .list();
    }

    private static SnapshotRecord ready(Handle handle, String template, SnapshotId snapshot) {
        return SqliteSnapshots.find(handle, snapshot)
                .filter(found -> found.state() == SnapshotState.READY)
                .orElseThrow(() -> new SandglassException(
                        ErrorCode.SNAPSHOT_NOT_FOUND, "The snapshot " + snapshot + " of the template " + template + " was deleted.", "Build the template again."));
    }

    /** It is one that somebody asked for, and has no name. */
    private static void keep(Handle handle, String template, SnapshotId snapshot) {
        SqliteSnapshots.update(handle, ready(handle, template, snapshot).kept(Optional.empty()));
    }

    private static void name(Handle handle, String template, SnapshotId snapshot) {
        SnapshotRecord made = ready(handle, template, snapshot);
        unname(handle, template);
        SqliteSnapshots.update(handle, SqliteSnapshots.find(handle, snapshot).orElse(made).kept(Optional.of(template)));
    }

    /** The snapshot of now has the name no more. */
    private static void unname(Handle handle, String template) {
        SqliteSnapshots.named(handle, template).ifPresent(before -> SqliteSnapshots.update(handle, before.kept(Optional.empty())));
    }

    @Override
    public void forget(String template, long version) {
        writer.transact(handle -> {
            handle.createQuery("DELETE FROM template_version WHERE template = :template AND version = :version AND version <> (SELECT COALESCE(current, 0) FROM template WHERE name = :template)"
                            + " AND NOT EXISTS (SELECT 1 FROM template_tag WHERE template_tag.template = :template AND template_tag.version = :version)"
                            + " RETURNING snapshot")
                    .bind("template", template)
                    .bind("version", version)
                    .mapTo(String.class)
                    .list()
                    .forEach(snapshot -> SqliteSnapshots.delete(handle, new SnapshotId(snapshot)));
            return true;
        });
    }
}
