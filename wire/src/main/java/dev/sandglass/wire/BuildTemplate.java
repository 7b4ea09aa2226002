package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * A request to build a template.
 *
 * @param keep whether the sandbox of a build that fails is left to look at
 * @param cache whether steps are taken from earlier builds; yes if absent
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record BuildTemplate(@Nullable Boolean keep, @Nullable Boolean cache) {}
