package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.engine.sandbox.SnapshotPurpose;
import dev.sandglass.engine.sandbox.SnapshotState;
import dev.sandglass.wire.Json;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.statement.SqlStatement;

/** A snapshot's record as a row and back. */
final class SnapshotRows {
    static final String COLUMNS = "id, version, name, purpose, state, sandbox_id, image, layers, details, created_at";
    static final String VALUES = ":id, :version, :name, :purpose, :state, :sandbox_id, :image, :layers, :details, :created_at";
    /** No name of a layer has one. */
    private static final String BETWEEN = " ";

    private SnapshotRows() {}

    static <T extends SqlStatement<T>> T bind(T statement, SnapshotRecord record) {
        return statement
                .bind("id", record.id().text())
                .bind("version", record.version())
                .bind("name", record.name().orElse(null))
                .bind("purpose", record.purpose().name())
                .bind("state", record.state().text())
                .bind("sandbox_id", record.sandbox().text())
                .bind("image", record.image())
                .bind("layers", String.join(BETWEEN, record.layers()))
                .bind("details", Json.write(SnapshotDetails.of(record)))
                .bind("created_at", record.createdAt().toEpochMilli());
    }

    static SnapshotRecord read(ResultSet row) throws SQLException {
        SnapshotDetails details = Json.read(SnapshotDetails.class, row.getString("details").getBytes(StandardCharsets.UTF_8));
        return new SnapshotRecord(
                new SnapshotId(row.getString("id")),
                row.getLong("version"),
                Optional.ofNullable(row.getString("name")),
                SnapshotPurpose.valueOf(row.getString("purpose")),
                SnapshotState.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                Optional.ofNullable(details.parent()).map(SnapshotId::new),
                new SandboxId(row.getString("sandbox_id")),
                details.sandboxName(),
                details.runtime(),
                row.getString("image"),
                layers(row.getString("layers")),
                new SnapshotRecord.Bytes(
                        details.ownBytes(), details.totalBytes(), Optional.ofNullable(details.chainBytes()).orElse(details.totalBytes())),
                Optional.ofNullable(details.memory()).map(SnapshotDetails.Processes::toRecord),
                Optional.ofNullable(details.generation()).orElse(1L),
                details.pauseMicros(),
                details.description(),
                details.labels(),
                Optional.ofNullable(details.expiry()).map(Details.Until::deadline),
                Instant.ofEpochMilli(row.getLong("created_at")),
                Optional.ofNullable(details.network()).map(Policy::of),
                VolumeDetails.Use.read(details.volumes()),
                CommandDefaults.of(details.commandDefaults()));
    }

    static List<String> layers(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(BETWEEN));
    }
}
