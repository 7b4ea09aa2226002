package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request for a sandbox; what is absent takes the configured default. Times are seconds, 0 is never. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CreateSandbox(@Nullable String name, @Nullable String runtime, @Nullable String security, @Nullable Long memoryMb, @Nullable Double cpus, @Nullable Long diskMb, @Nullable Long maxProcesses, @Nullable Map<String, String> env, @Nullable Map<String, String> labels, @Nullable List<String> capAdd, @Nullable List<String> capDrop, @Nullable Long timeout, @Nullable String onTimeout, @Nullable Long ttl, @Nullable Long hardTtl, @Nullable Boolean linger, @Nullable String from, @Nullable Boolean diskOnly, @Nullable Boolean autoResume, @Nullable Long checkpointEvery, @Nullable Integer keepCheckpoints, @Nullable String restart, @Nullable NetworkPolicy network, @Nullable List<String> credentials, @Nullable List<VolumeMount> volumes, @Nullable String volumesFrom, @Nullable String image, @Nullable String user, @Nullable String workdir, @Nullable String template) {
    /** A small one without a network that works on volumes. */
    public static CreateSandbox on(List<VolumeMount> volumes, long memoryMb, Map<String, String> labels) {
        return new CreateSandbox(null, null, null, memoryMb, null, null, null, null, labels, null, null, null, null, null, null, null, null, null, null, null, null, null, new NetworkPolicy("none", null, null), null, volumes, null, null, null, null, null);
    }

    /** One of a snapshot or template, and else as they are by default. */
    public static CreateSandbox from(String snapshot, Map<String, String> labels) {
        return new CreateSandbox(null, null, null, null, null, null, null, null, labels, null, null, null, null, null, null, null, snapshot, null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    /** Only where it runs, how much memory it has and what marks it: the rest is the default. */
    public static CreateSandbox of(@Nullable String runtime, @Nullable Long memoryMb, Map<String, String> labels) {
        return new CreateSandbox(null, runtime, null, memoryMb, null, null, null, null, labels, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
    }
}
