package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A sandbox as the API shows it. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Sandbox(String id, String name, String state, @Nullable String reason, String runtime, String security, List<String> capabilities, long memoryMb, double cpus, long diskMb, long maxProcesses, @Nullable Long timeout, @Nullable Instant timeoutAt, String onTimeout, @Nullable Long ttl, @Nullable Instant ttlAt, @Nullable Long hardTtl, @Nullable Instant hardTtlAt, boolean autoResume, @Nullable Long checkpointEvery, @Nullable Instant checkpointAt, @Nullable Integer keepCheckpoints, String restart, Map<String, String> env, Map<String, String> labels, @Nullable NetworkPolicy network, List<String> credentials, String image, @Nullable String snapshot, Instant createdAt, @Nullable Instant startedAt, @Nullable Long pid, List<String> warnings, List<MountedVolume> volumes, @Nullable String user, @Nullable String workdir) {
    /** An earlier daemon says nothing of volumes. */
    public Sandbox {
        volumes = Objects.requireNonNullElse(volumes, List.of());
    }

    public Sandbox withEnv(Map<String, String> other) {
        return new Sandbox(id, name, state, reason, runtime, security, capabilities, memoryMb, cpus, diskMb, maxProcesses, timeout, timeoutAt, onTimeout, ttl, ttlAt, hardTtl, hardTtlAt, autoResume, checkpointEvery, checkpointAt, keepCheckpoints, restart, other, labels, network, credentials, image, snapshot, createdAt, startedAt, pid, warnings, volumes, user, workdir);
    }

    /** The same with one more thing that its user should know. */
    public Sandbox withWarning(String warning) {
        List<String> all = new ArrayList<>(warnings);
        all.add(warning);
        return new Sandbox(id, name, state, reason, runtime, security, capabilities, memoryMb, cpus, diskMb, maxProcesses, timeout, timeoutAt, onTimeout, ttl, ttlAt, hardTtl, hardTtlAt, autoResume, checkpointEvery, checkpointAt, keepCheckpoints, restart, env, labels, network, credentials, image, snapshot, createdAt, startedAt, pid, all, volumes, user, workdir);
    }
}
