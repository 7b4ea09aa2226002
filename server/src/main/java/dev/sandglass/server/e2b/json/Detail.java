package dev.sandglass.server.e2b.json;

import dev.sandglass.server.e2b.sandbox.NetworkConfig;
import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All that is told of a sandbox. */
@Json
public record Detail(
        String templateID,
        @Nullable String alias,
        String sandboxID,
        String clientID,
        Instant startedAt,
        Instant endAt,
        int cpuCount,
        long memoryMB,
        long diskSizeMB,
        Map<String, String> metadata,
        String state,
        String envdVersion,
        List<MountedVolume> volumeMounts,
        @Nullable String envdAccessToken,
        @Nullable String domain,
        @Nullable Boolean allowInternetAccess,
        @Nullable NetworkConfig network,
        Lifecycle lifecycle) {
    /** What becomes of it when its time is over, and whether use wakes it then. */
    @Json
    public record Lifecycle(String onTimeout, boolean autoResume) {}
}
