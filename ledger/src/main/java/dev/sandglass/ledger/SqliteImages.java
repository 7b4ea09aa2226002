package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.ImageLedger;
import dev.sandglass.engine.ledger.ImageRecord;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Images from elsewhere in the SQLite file. Thread-safe. */
record SqliteImages(Connection writer, Connection reader, Reserve reserve) implements ImageLedger {
    private static final String SELECT =
            "SELECT id, layers, details, created_at, (SELECT GROUP_CONCAT(name, ' ' ORDER BY name) FROM image_name WHERE image_id = image.id) AS names FROM image ";

    @Override
    public ImageRecord put(ImageRecord image, Collection<String> names) {
        return writer.transact(handle -> {
            Optional<ImageRecord> known = find(handle, image.id());
            if (known.isPresent()) {
                requireSame(known.get(), image);
            } else {
                insert(handle, image);
            }
            names.forEach(name -> handle.execute("INSERT OR REPLACE INTO image_name (name, image_id) VALUES (?, ?)", name, image.id()));
            return find(handle, image.id()).orElseThrow();
        });
    }

    /** An id is a part of a digest only. */
    private static void requireSame(ImageRecord known, ImageRecord image) {
        if (!known.digest().equals(image.digest())) {
            throw new SandglassException(
                    ErrorCode.IMAGE_REFUSED, "There is another image with the id " + known.id() + " here, with the digest " + known.digest() + ".", "Remove that one first.");
        }
    }

    private static void insert(Handle handle, ImageRecord image) {
        if (handle.createQuery("SELECT COUNT(*) FROM image").mapTo(Integer.class).one() >= MOST) {
            throw new SandglassException(ErrorCode.LIMIT_REACHED, "There are " + MOST + " images, and more are not kept.", "Remove one with `sandglass image rm`.");
        }
        handle.execute(
                "INSERT INTO image (id, layers, details, created_at) VALUES (?, ?, ?, ?)",
                image.id(),
                String.join(" ", image.layers()),
                Json.write(ImageDetails.of(image)),
                image.createdAt().toEpochMilli());
    }

    @Override
    public List<ImageRecord> all() {
        return reader.transact(handle -> handle.createQuery(SELECT + "ORDER BY created_at, id").map((row, _) -> read(row)).list());
    }

    @Override
    public Optional<ImageRecord> find(String id) {
        return reader.transact(handle -> find(handle, id));
    }

    @Override
    public ImageRecord resolve(String nameOrId) {
        return reader.transact(handle -> resolve(handle, nameOrId));
    }

    @Override
    public void remove(String nameOrId) {
        reserve.lend(() -> writer.transact(handle -> {
            ImageRecord image = resolve(handle, nameOrId);
            if (image.names().size() > 1 && image.names().contains(nameOrId)) {
                return handle.execute("DELETE FROM image_name WHERE name = ?", nameOrId);
            }
            requireUnused(handle, image);
            return handle.execute("DELETE FROM image_name WHERE image_id = ?", image.id()) + handle.execute("DELETE FROM image WHERE id = ?", image.id());
        }));
    }

    @Override
    public Set<String> layers() {
        return reader.transact(handle -> {
            Set<String> all = new HashSet<>();
            handle.createQuery("SELECT layers FROM image").mapTo(String.class).forEach(layers -> all.addAll(SnapshotRows.layers(layers)));
            return all;
        });
    }

    private static void requireUnused(Handle handle, ImageRecord image) {
        String users = "SELECT 'The sandbox ' || name FROM sandbox WHERE state <> 'destroyed' AND image = :id"
                + " UNION ALL SELECT 'The snapshot ' || COALESCE(name, id) FROM snapshot WHERE state <> 'deleted' AND image = :id LIMIT 1";
        handle.createQuery(users).bind("id", image.id()).mapTo(String.class).findFirst().ifPresent(user -> {
            throw new SandglassException(ErrorCode.CONFLICT, user + " stands on the image " + image.id() + ".", "Remove what stands on it first.");
        });
    }

    /** Throws if a new sandbox or snapshot is to stand on an image from elsewhere that is not there: its layers might be on their way out. */
    static void requireThere(Handle handle, String id) {
        if (ImageRecord.isId(id) && find(handle, id).isEmpty()) {
            throw nothing(id);
        }
    }

    private static Optional<ImageRecord> find(Handle handle, String id) {
        return handle.createQuery(SELECT + "WHERE id = ?").bind(0, id).map((row, _) -> read(row)).findOne();
    }

    private static ImageRecord resolve(Handle handle, String ref) {
        Optional<ImageRecord> named = handle.createQuery("SELECT image_id FROM image_name WHERE name = ?")
                .bind(0, ref)
                .mapTo(String.class)
                .findOne()
                .flatMap(id -> find(handle, id));
        return named.or(() -> find(handle, ref)).orElseGet(() -> begun(handle, ref));
    }

    private static ImageRecord begun(Handle handle, String ref) {
        String id = ref.startsWith(ImageRecord.PREFIX) ? ref : ImageRecord.PREFIX + ref;
        List<ImageRecord> begun = handle.createQuery(SELECT + "WHERE substr(id, 1, length(:id)) = :id AND length(:id) > length(:prefix) LIMIT 2")
                .bind("id", id)
                .bind("prefix", ImageRecord.PREFIX)
                .map((row, _) -> read(row))
                .list();
        if (begun.size() > 1) {
            throw new SandglassException(
                    ErrorCode.AMBIGUOUS_PREFIX, "More than one image's id begins with " + ref + ".", "Give more of the id; `sandglass image ls` lists them.");
        }
        return begun.stream().findFirst().orElseThrow(() -> nothing(ref));
    }

    private static SandglassException nothing(String ref) {
        return new SandglassException(
                ErrorCode.IMAGE_NOT_FOUND, "There is no image " + ref + " here.", "`sandglass image ls` lists those that are; `sandglass image pull` fetches one.");
    }

    private static ImageRecord read(ResultSet row) throws SQLException {
        ImageDetails details = Json.read(ImageDetails.class, row.getString("details").getBytes(StandardCharsets.UTF_8));
        String names = row.getString("names");
        return details.toRecord(
                row.getString("id"), names == null ? List.of() : List.of(names.split(" ")), SnapshotRows.layers(row.getString("layers")), Instant.ofEpochMilli(row.getLong("created_at")));
    }
}
