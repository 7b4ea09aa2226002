package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A captured state of a sandbox. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Snapshot(
        String id,
        @Nullable String name,
        String kind,
        String purpose,
        String state,
        @Nullable String parent,
        @Nullable String sandboxId,
        String sandboxName,
        String runtime,
        String image,
        long ownBytes,
        long totalBytes,
        long memoryBytes,
        double pauseMs,
        String description,
        Map<String, String> labels,
        Instant createdAt,
        @Nullable Instant expiresAt,
        List<MountedVolume> volumes,
        @Nullable String user,
        @Nullable String workdir) {
    /** An earlier daemon says nothing of volumes. */
    public Snapshot {
        volumes = Objects.requireNonNullElse(volumes, List.of());
    }
}
