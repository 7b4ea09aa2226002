package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A sandbox in a list. */
@Json
public record Listed(
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
        List<MountedVolume> volumeMounts) {}
