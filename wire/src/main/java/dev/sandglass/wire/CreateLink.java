package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * A request for a link.
 *
 * @param expires after so many seconds; an hour if absent
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record CreateLink(@Nullable Long expires) {}
