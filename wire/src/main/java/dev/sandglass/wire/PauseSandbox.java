package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** How a sandbox is paused or resumed: with its processes, unless only its disk is wanted. */
@Json(naming = Json.Naming.LowerUnderscore)
public record PauseSandbox(@Nullable Boolean diskOnly) {}
