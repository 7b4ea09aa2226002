package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * What an attached client is told besides bytes.
 *
 * @param dropped how many bytes of output are missing between what came and what comes
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record AttachEvent(@Nullable Exit exit, @Nullable Problem error, @Nullable Long dropped) {}
