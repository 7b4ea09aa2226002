package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * A line of a command's output stream: data, a gap, or the end.
 *
 * @param dropped how many bytes of output are missing between what came and what comes
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record OutputEvent(@Nullable String stream, @Nullable Long offset, @Nullable String data, @Nullable Exit exit, @Nullable Problem error, @Nullable Long dropped) {}
