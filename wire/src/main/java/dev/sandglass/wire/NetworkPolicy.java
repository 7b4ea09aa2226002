package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox may reach: rules, of which the first that matches decides, before those of a preset ({@code none}, {@code open}, {@code package-registries}) or before
 * what holds otherwise ({@code allow}, {@code deny}; deny if absent).
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record NetworkPolicy(@Nullable String preset, @Nullable List<String> rules, @Nullable String otherwise) {}
