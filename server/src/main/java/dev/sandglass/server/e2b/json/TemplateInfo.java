package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A template in a list. */
@Json
public record TemplateInfo(
        String templateID,
        String buildID,
        int cpuCount,
        long memoryMB,
        long diskSizeMB,
        @Json.Property("public") boolean isPublic,
        List<String> aliases,
        List<String> names,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Object createdBy,
        @Nullable Instant lastSpawnedAt,
        long spawnCount,
        long buildCount,
        String envdVersion,
        String buildStatus) {}
