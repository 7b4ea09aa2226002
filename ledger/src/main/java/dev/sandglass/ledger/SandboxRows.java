package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.MachineProcess;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.wire.Json;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.statement.SqlStatement;

/** A sandbox's record as a row and back. */
final class SandboxRows {
    static final String COLUMNS = "id, version, name, state, reason, pid, start_ticks, boot_id, runtime, security, memory_bytes, cpus,"
            + " disk_bytes, processes, image, agent, details, created_at, started_at";
    static final String VALUES = ":id, :version, :name, :state, :reason, :pid, :start_ticks, :boot_id, :runtime, :security, :memory_bytes,"
            + " :cpus, :disk_bytes, :processes, :image, :agent, :details, :created_at, :started_at";

    private SandboxRows() {}

    static <T extends SqlStatement<T>> T bind(T statement, SandboxRecord record) {
        MachineProcess process = record.state() instanceof SandboxState.Running(MachineProcess running) ? running : null;
        return statement
                .bind("id", record.id().text())
                .bind("version", record.version())
                .bind("name", record.name())
                .bind("state", record.state().text())
                .bind("reason", record.state().why().orElse(null))
                .bind("pid", process == null ? null : (Long) process.pid())
                .bind("start_ticks", process == null ? null : (Long) process.startTicks())
                .bind("boot_id", process == null ? null : process.bootId())
                .bind("runtime", record.runtime())
                .bind("security", record.security().text())
                .bind("memory_bytes", record.limits().memoryBytes())
                .bind("cpus", record.limits().cpus())
                .bind("disk_bytes", record.limits().diskBytes())
                .bind("processes", record.limits().processes())
                .bind("image", record.image())
                .bind("agent", record.agent())
                .bind("details", Json.write(Details.of(record)))
                .bind("created_at", record.createdAt().toEpochMilli())
                .bind("started_at", record.startedAt().map(Instant::toEpochMilli).orElse(null));
    }

    static SandboxRecord read(ResultSet row) throws SQLException {
        Details details = Json.read(Details.class, row.getString("details").getBytes(StandardCharsets.UTF_8));
        long startedAt = row.getLong("started_at");
        boolean started = !row.wasNull();
        return new SandboxRecord(
                new SandboxId(row.getString("id")),
                row.getLong("version"),
                row.getString("name"),
                state(row, details),
                row.getString("runtime"),
                security(row),
                details.capabilitySet(),
                new Limits(row.getLong("memory_bytes"), row.getDouble("cpus"), row.getLong("disk_bytes"), row.getLong("processes")),
                details.deadlines(),
                details.env(),
                details.labels(),
                row.getString("image"),
                row.getString("agent"),
                details.warnings(),
                Instant.ofEpochMilli(row.getLong("created_at")),
                started ? Optional.of(Instant.ofEpochMilli(startedAt)) : Optional.empty(),
                details.lineage(),
                Optional.ofNullable(details.network()).map(Policy::of),
                details.credentialSet(),
                VolumeDetails.Use.read(details.volumes()),
                CommandDefaults.of(details.commandDefaults()));
    }

    private static Security security(ResultSet row) throws SQLException {
        String text = row.getString("security");
        return Security.of(text).orElseThrow(() -> new SQLException("security: " + text));
    }

    private static SandboxState state(ResultSet row, Details details) throws SQLException {
        String state = row.getString("state");
        Optional<Cause> cause = Optional.ofNullable(row.getString("reason")).flatMap(Cause::of);
        return switch (state) {
            case "creating" -> new SandboxState.Creating();
            case "running" ->
                new SandboxState.Running(new MachineProcess(row.getLong("pid"), row.getLong("start_ticks"), row.getString("boot_id")));
            case "stopping" -> new SandboxState.Stopping();
            case "stopped" -> new SandboxState.Stopped(row.getString("reason"));
            case "starting" -> new SandboxState.Starting();
            case "failed" -> new SandboxState.Failed(row.getString("reason"));
            case "paused" -> rest(details).map(rest -> new SandboxState.Paused(rest.snapshot(), rest.rebuild(), cause)).orElseThrow();
            case "resuming" -> rest(details).map(rest -> new SandboxState.Resuming(rest.snapshot(), rest.rebuild())).orElseThrow();
            case "destroying" -> new SandboxState.Destroying(cause);
            case "destroyed" -> new SandboxState.Destroyed(cause);
            default -> throw new SQLException("state: " + state);
        };
    }

    private static Optional<Details.Rest> rest(Details details) {
        return Optional.ofNullable(details.rest());
    }
}
