package dev.sandglass.client;

import dev.sandglass.wire.Snapshot;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A captured state.
 *
 * @param sandboxId of which it was taken; that may be gone. Null if it came from elsewhere
 * @param kind {@code disk}: the filesystem; {@code full}: with memory and processes
 * @param parent the snapshot whose state the sandbox last had before
 * @param pauseMs for how long the sandbox stood still
 * @param expiresAt when it goes by itself
 */
public record SnapshotInfo(
        String snapshotId,
        @Nullable String sandboxId,
        Instant createdAt,
        @Nullable String name,
        String kind,
        String state,
        @Nullable String parent,
        String sandboxName,
        String runtime,
        long ownBytes,
        long totalBytes,
        long memoryBytes,
        double pauseMs,
        String description,
        Map<String, String> metadata,
        @Nullable Instant expiresAt) {
    static SnapshotInfo of(Snapshot snapshot) {
        return new SnapshotInfo(
                snapshot.id(), snapshot.sandboxId(), snapshot.createdAt(), snapshot.name(), snapshot.kind(), snapshot.state(), snapshot.parent(), snapshot.sandboxName(), snapshot.runtime(),
                snapshot.ownBytes(), snapshot.totalBytes(), snapshot.memoryBytes(), snapshot.pauseMs(), snapshot.description(), snapshot.labels(), snapshot.expiresAt());
    }
}
