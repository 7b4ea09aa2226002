package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The copies that somebody wants to have; what is absent is as in the source, or takes the configured default. */
@Json(naming = Json.Naming.LowerUnderscore)
public record ForkSandbox(
        @Nullable Integer count,
        @Nullable String name,
        @Nullable Long memoryMb,
        @Nullable Double cpus,
        @Nullable Map<String, String> env,
        @Nullable Map<String, String> labels,
        @Nullable Long timeout,
        @Nullable Boolean diskOnly,
        @Nullable List<VolumeMount> volumes,
        @Nullable String volumesFrom) {
    /** With copies of the volumes. */
    public ForkSandbox(
            @Nullable Integer count,
            @Nullable String name,
            @Nullable Long memoryMb,
            @Nullable Double cpus,
            @Nullable Map<String, String> env,
            @Nullable Map<String, String> labels,
            @Nullable Long timeout,
            @Nullable Boolean diskOnly) {
        this(count, name, memoryMb, cpus, env, labels, timeout, diskOnly, null, null);
    }
}
