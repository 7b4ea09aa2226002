package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * One step of a build.
 *
 * @param state {@code waiting}, {@code running}, {@code done}, {@code cached}, {@code failed} or {@code skipped}
 * @param message what there is to say of it, such as why it failed
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record BuildStep(String name, String state, @Nullable Double seconds, @Nullable String message, @Nullable String hint) {}
