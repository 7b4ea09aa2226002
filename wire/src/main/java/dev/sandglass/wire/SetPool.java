package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * How many sandboxes are to be kept ready.
 *
 * @param maxIdle as many as {@code minIdle} if absent
 * @param warmUp what runs in each before it is ready, by a login shell
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record SetPool(@Nullable Long minIdle, @Nullable Long maxIdle, @Nullable String warmUp) {}
