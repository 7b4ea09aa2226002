package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * A piece of what the steps of a build print.
 *
 * @param dropped how many characters before it were not kept
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record BuildOutput(String step, String text, @Nullable Long dropped) {}
