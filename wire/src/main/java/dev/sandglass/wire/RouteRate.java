package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * How many requests a route takes.
 *
 * @param burst so many at once; as many as in a second if absent
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record RouteRate(int perSecond, @Nullable Integer burst) {}
