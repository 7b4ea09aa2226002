package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.VolumeId;
import dev.sandglass.engine.sandbox.VolumeState;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A volume as the ledger has it.
 *
 * @param isSnapshot whether it never changes
 * @param bytes what may be written to it
 * @param source the volume of which it is a copy, whether that is still there or not
 */
public record VolumeRecord(
        VolumeId id, String name, VolumeState state, boolean isSnapshot, long bytes, Optional<VolumeId> source, Map<String, String> labels, Instant createdAt) {
    public VolumeRecord {
        labels = Map.copyOf(labels);
    }
}
