package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a template was built into.
 *
 * @param current whether its name stands for this one
 * @param kept whether its snapshot is still there
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record TemplateVersion(long version, String snapshot, Instant builtAt, @Nullable String build, boolean current, boolean kept) {}
