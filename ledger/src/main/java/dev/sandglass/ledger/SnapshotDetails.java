package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.SnapshotRecord;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.engine.sandbox.Limits;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.CommandSettings;
import dev.sandglass.wire.NetworkPolicy;
import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What no query asks for of a snapshot, kept as JSON in one column.
 *
 * @param totalBytes of its first layer
 * @param chainBytes of all its layers; absent in what was written before it was counted
 */
@Json
record SnapshotDetails(
        @Nullable String parent,
        String sandboxName,
        String runtime,
        long ownBytes,
        long totalBytes,
        @Nullable Long chainBytes,
        long pauseMicros,
        String description,
        Map<String, String> labels,
        @Nullable Long generation,
        @Nullable Processes memory,
        Details.@Nullable Until expiry,
        @Nullable NetworkPolicy network,
        @Nullable List<VolumeDetails.Use> volumes,
        @Nullable CommandSettings commandDefaults) {
    /** Of a full snapshot. */
    @Json
    record Processes(
            long bytes,
            String agent,
            String security,
            List<String> capabilities,
            long memoryBytes,
            double cpus,
            long diskBytes,
            long processes,
            Map<String, String> traits) {
        static Processes of(SnapshotRecord.Memory memory) {
            Limits limits = memory.limits();
            return new Processes(
                    memory.bytes(),
                    memory.agent(),
                    memory.security().text(),
                    memory.capabilities().stream().sorted().map(Capability::name).toList(),
                    limits.memoryBytes(),
                    limits.cpus(),
                    limits.diskBytes(),
                    limits.processes(),
                    memory.traits());
        }

        SnapshotRecord.Memory toRecord() {
            return new SnapshotRecord.Memory(
                    bytes,
                    agent,
                    Security.of(security).orElseThrow(),
                    capabilities.stream().map(Capability::valueOf).collect(Collectors.toUnmodifiableSet()),
                    new Limits(memoryBytes, cpus, diskBytes, processes),
                    traits);
        }
    }

    static SnapshotDetails of(SnapshotRecord record) {
        return new SnapshotDetails(
                record.parent().map(SnapshotId::text).orElse(null),
                record.sandboxName(),
                record.runtime(),
                record.bytes().own(),
                record.bytes().layer(),
                record.bytes().total(),
                record.pauseMicros(),
                record.description(),
                record.labels(),
                record.generation(),
                record.memory().map(Processes::of).orElse(null),
                record.expiry().map(Details.Until::of).orElse(null),
                record.network().map(Policy::toWire).orElse(null),
                VolumeDetails.Use.of(record.volumes()),
                record.commandDefaults().toWire());
    }
}
