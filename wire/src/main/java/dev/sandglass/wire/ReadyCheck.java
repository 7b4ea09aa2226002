package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * When a template is ready to be captured.
 *
 * @param command a script of bash that ends with 0 once it is
 * @param timeout seconds after which it never will be
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record ReadyCheck(String command, @Nullable Long timeout) {}
