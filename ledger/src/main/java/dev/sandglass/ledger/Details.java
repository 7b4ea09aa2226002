package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Activity;
import dev.sandglass.engine.sandbox.AtTimeout;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Deadline;
import dev.sandglass.engine.sandbox.Deadlines;
import dev.sandglass.engine.sandbox.Lifecycle;
import dev.sandglass.engine.sandbox.Lineage;
import dev.sandglass.engine.sandbox.Moment;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.CommandSettings;
import dev.sandglass.wire.NetworkPolicy;
import io.avaje.jsonb.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What no query asks for, kept as JSON in one column.
 *
 * @param capabilities absent in rows from before they could be chosen
 */
@Json
record Details(
        Map<String, String> env,
        Map<String, String> labels,
        List<String> warnings,
        @Nullable List<String> capabilities,
        @Nullable Until timeout,
        @Nullable Until hardTtl,
        @Nullable Then idleFrom,
        @Nullable Then checkpointFrom,
        @Nullable String snapshot,
        @Nullable List<String> layers,
        @Nullable Long generation,
        @Nullable String undo,
        @Nullable String before,
        @Nullable Integer commands,
        @Nullable Rest rest,
        @Nullable Unattended unattended,
        @Nullable NetworkPolicy network,
        @Nullable List<String> credentials,
        @Nullable List<VolumeDetails.Use> volumes,
        @Nullable CommandSettings commandDefaults) {
    /** Where a sandbox goes on that is paused or about to. */
    @Json
    record Rest(@Nullable String at, boolean rebuild) {
        static @Nullable Rest of(SandboxState state) {
            return switch (state) {
                case SandboxState.Paused(Optional<SnapshotId> at, boolean rebuild, _) -> new Rest(at.map(SnapshotId::text).orElse(null), rebuild);
                case SandboxState.Resuming(Optional<SnapshotId> at, boolean rebuild) -> new Rest(at.map(SnapshotId::text).orElse(null), rebuild);
                default -> null;
            };
        }

        Optional<SnapshotId> snapshot() {
            return Optional.ofNullable(at).map(SnapshotId::new);
        }
    }

    /**
     * What becomes of a sandbox that nobody looks after; times in seconds.
     *
     * @param pauses at its timeout, in the place of being destroyed
     * @param diskOnly whether its processes end then; absent in rows from before that could be
     */
    @Json
    record Unattended(boolean pauses, @Nullable Boolean diskOnly, @Nullable Long ttl, boolean autoResume, @Nullable Long every, @Nullable Integer keep, boolean restarts) {
        static Unattended of(Lifecycle lifecycle) {
            return new Unattended(
                    lifecycle.atTimeout() != AtTimeout.KILL,
                    lifecycle.atTimeout() == AtTimeout.PAUSE_DISK ? true : null,
                    lifecycle.ttl().map(Duration::toSeconds).orElse(null),
                    lifecycle.autoResume(),
                    lifecycle.checkpoints().map(checkpoints -> checkpoints.every().toSeconds()).orElse(null),
                    lifecycle.checkpoints().map(Lifecycle.Checkpoints::keep).orElse(null),
                    lifecycle.restarts());
        }

        Lifecycle lifecycle() {
            Optional<Lifecycle.Checkpoints> checkpoints = every == null || keep == null
                    ? Optional.empty()
                    : Optional.of(new Lifecycle.Checkpoints(Duration.ofSeconds(every), keep));
            AtTimeout atTimeout = !pauses ? AtTimeout.KILL : Boolean.TRUE.equals(diskOnly) ? AtTimeout.PAUSE_DISK : AtTimeout.PAUSE;
            return new Lifecycle(atTimeout, Optional.ofNullable(ttl).map(Duration::ofSeconds), autoResume, checkpoints, restarts);
        }
    }

    /** A deadline. */
    @Json
    record Until(long lengthMillis, long atMillis, String bootId, long uptimeMillis) {
        static Until of(Deadline deadline) {
            return new Until(
                    deadline.length().toMillis(), deadline.at().toEpochMilli(), deadline.bootId(), deadline.uptime().toMillis());
        }

        Deadline deadline() {
            return new Deadline(
                    Duration.ofMillis(lengthMillis), Instant.ofEpochMilli(atMillis), bootId, Duration.ofMillis(uptimeMillis));
        }
    }

    /** A moment. */
    @Json
    record Then(long atMillis, String bootId, long uptimeMillis) {
        static Then of(Moment moment) {
            return new Then(moment.at().toEpochMilli(), moment.bootId(), moment.uptime().toMillis());
        }

        Moment moment() {
            return new Moment(Instant.ofEpochMilli(atMillis), bootId, Duration.ofMillis(uptimeMillis));
        }
    }

    static Details of(SandboxRecord record) {
        return new Details(
                record.env(),
                record.labels(),
                record.warnings(),
                record.capabilities().stream().sorted().map(Capability::name).toList(),
                record.deadlines().timeout().map(Until::of).orElse(null),
                record.deadlines().hardTtl().map(Until::of).orElse(null),
                record.deadlines().idleFrom().map(Then::of).orElse(null),
                record.deadlines().checkpointFrom().map(Then::of).orElse(null),
                record.lineage().at().map(SnapshotId::text).orElse(null),
                record.lineage().layers().isEmpty() ? null : record.lineage().layers(),
                record.lineage().generation(),
                record.lineage().undo().map(SnapshotId::text).orElse(null),
                record.lineage().before().text(),
                record.lineage().commands(),
                Rest.of(record.state()),
                Unattended.of(record.deadlines().lifecycle()),
                record.network().map(Policy::toWire).orElse(null),
                record.credentials().isEmpty() ? null : List.copyOf(record.credentials()),
                VolumeDetails.Use.of(record.volumes()),
                record.commandDefaults().toWire());
    }

    Lineage lineage() {
        return new Lineage(
                Optional.ofNullable(snapshot).map(SnapshotId::new),
                layers == null ? List.of() : layers,
                generation == null ? 1 : generation,
                Optional.ofNullable(undo).map(SnapshotId::new),
                Activity.named(Objects.requireNonNullElse(before, "")),
                commands == null ? 0 : commands);
    }

    Set<String> credentialSet() {
        return credentials == null ? Set.of() : Set.copyOf(credentials);
    }

    Set<Capability> capabilitySet() {
        return capabilities == null
                ? Capability.STANDARD
                : capabilities.stream().map(Capability::valueOf).collect(Collectors.toUnmodifiableSet());
    }

    Deadlines deadlines() {
        return new Deadlines(
                Optional.ofNullable(timeout).map(Until::deadline),
                Optional.ofNullable(hardTtl).map(Until::deadline),
                unattended == null ? Lifecycle.PLAIN : unattended.lifecycle(),
                Optional.ofNullable(idleFrom).map(Then::moment),
                Optional.ofNullable(checkpointFrom).map(Then::moment));
    }
}
