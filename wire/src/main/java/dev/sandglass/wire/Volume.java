package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A durable directory that outlives sandboxes.
 *
 * @param kind {@code volume}, or {@code snapshot}, which never changes
 * @param source the volume of which it is a copy
 * @param usedBytes what was written to it and is not shared with others; null where that is not counted
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Volume(String id, String name, String kind, long sizeMb, @Nullable Long usedBytes, @Nullable String source, Map<String, String> labels, Instant createdAt, List<VolumeUser> usedBy) {}
