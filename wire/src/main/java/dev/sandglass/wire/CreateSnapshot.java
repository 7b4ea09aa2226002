package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The snapshot that somebody wants to have.
 *
 * @param expires seconds after which it goes by itself; null or 0 is never
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record CreateSnapshot(
        @Nullable String name, @Nullable String description, @Nullable Map<String, String> labels, @Nullable Boolean diskOnly, @Nullable Long expires) {}
