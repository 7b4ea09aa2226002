package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** How many ready sandboxes are kept of a template. */
@Json(naming = Json.Naming.LowerUnderscore)
public record TemplatePool(@Nullable Long minIdle, @Nullable Long maxIdle) {}
