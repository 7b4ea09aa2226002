package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * A file that a template has.
 *
 * @param path absolute; of what stands beside a Dockerfile relative to that
 * @param content as text; or else {@code contentBase64}
 * @param mode as for {@code chmod}, such as {@code 0755}; 0644 if absent
 * @param owner a user of the sandbox; root if absent
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record TemplateFile(String path, @Nullable String content, @Nullable String contentBase64, @Nullable String mode, @Nullable String owner) {}
