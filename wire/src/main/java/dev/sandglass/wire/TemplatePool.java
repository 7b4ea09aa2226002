package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * How many ready sandboxes are kept of a template.
 *
 * @param warmUp what runs in each before it is ready
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record TemplatePool(@Nullable Long minIdle, @Nullable Long maxIdle, @Nullable String warmUp) {}
