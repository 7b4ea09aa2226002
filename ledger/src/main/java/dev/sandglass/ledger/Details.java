package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Deadline;
import dev.sandglass.engine.sandbox.Deadlines;
import dev.sandglass.engine.sandbox.Lineage;
import dev.sandglass.engine.sandbox.SnapshotId;
import io.avaje.jsonb.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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
        @Nullable String snapshot,
        @Nullable List<String> layers,
        @Nullable Long generation) {
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

    static Details of(SandboxRecord record) {
        return new Details(
                record.env(),
                record.labels(),
                record.warnings(),
                record.capabilities().stream().sorted().map(Capability::name).toList(),
                record.deadlines().timeout().map(Until::of).orElse(null),
                record.deadlines().hardTtl().map(Until::of).orElse(null),
                record.lineage().at().map(SnapshotId::text).orElse(null),
                record.lineage().layers().isEmpty() ? null : record.lineage().layers(),
                record.lineage().generation());
    }

    Lineage lineage() {
        return new Lineage(Optional.ofNullable(snapshot).map(SnapshotId::new), layers == null ? List.of() : layers, generation == null ? 1 : generation);
    }

    Set<Capability> capabilitySet() {
        return capabilities == null
                ? Capability.STANDARD
                : capabilities.stream().map(Capability::valueOf).collect(Collectors.toUnmodifiableSet());
    }

    Deadlines deadlines() {
        return new Deadlines(Optional.ofNullable(timeout).map(Until::deadline), Optional.ofNullable(hardTtl).map(Until::deadline));
    }
}
