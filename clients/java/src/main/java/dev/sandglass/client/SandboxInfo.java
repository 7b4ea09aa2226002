package dev.sandglass.client;

import dev.sandglass.wire.MountedVolume;
import dev.sandglass.wire.NetworkPolicy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox as it is now.
 *
 * @param state such as {@code running}, {@code paused}, {@code stopped} or {@code failed}
 * @param reason why it failed, stopped or is paused
 * @param snapshotId the snapshot whose state it last had
 * @param timeoutAt when it is destroyed, or paused
 * @param network what it may reach; null if it has none
 * @param warnings what its user should know
 */
public record SandboxInfo(
        String sandboxId,
        String name,
        String state,
        @Nullable String reason,
        String runtime,
        Map<String, String> metadata,
        Map<String, String> envs,
        long memoryMb,
        double cpus,
        long diskMb,
        @Nullable String snapshotId,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant timeoutAt,
        boolean autoResume,
        @Nullable NetworkPolicy network,
        List<String> credentials,
        List<MountedVolume> volumes,
        List<String> warnings) {
    static SandboxInfo of(dev.sandglass.wire.Sandbox box) {
        return new SandboxInfo(
                box.id(), box.name(), box.state(), box.reason(), box.runtime(), box.labels(), box.env(), box.memoryMb(), box.cpus(), box.diskMb(), box.snapshot(), box.createdAt(), box.startedAt(),
                box.timeoutAt(), box.autoResume(), box.network(), box.credentials(), box.volumes(), box.warnings());
    }
}
