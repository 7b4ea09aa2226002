package dev.sandglass.client;

import dev.sandglass.wire.VolumeUser;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A volume as it is now.
 *
 * @param kind {@code volume}, or {@code snapshot}, which never changes
 * @param source the volume of which it is a copy
 */
public record VolumeInfo(
        String volumeId, String name, String kind, long sizeMb, @Nullable Long usedBytes, @Nullable String source, Map<String, String> metadata, Instant createdAt, List<VolumeUser> usedBy) {
    static VolumeInfo of(dev.sandglass.wire.Volume volume) {
        return new VolumeInfo(
                volume.id(), volume.name(), volume.kind(), volume.sizeMb(), volume.usedBytes(), volume.source(), volume.labels(), volume.createdAt(), volume.usedBy());
    }
}
