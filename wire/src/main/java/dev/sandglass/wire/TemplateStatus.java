package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A template as it is now.
 *
 * @param origin {@code builtin}, {@code user}, {@code sandbox} or {@code config}
 * @param state new, building, ready, or stale if the recipe has changed since it was built
 * @param domains what a build reaches
 * @param includes its components with all that these require, those of the templates that it is made of first
 * @param build the last one
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record TemplateStatus(
        String name,
        @Nullable String description,
        String origin,
        String state,
        @Nullable Long version,
        @Nullable String snapshot,
        @Nullable Instant builtAt,
        Instant updatedAt,
        List<String> components,
        List<String> domains,
        @Nullable List<TemplateInclusion> includes,
        @Nullable String build,
        @Nullable Template recipe) {}
