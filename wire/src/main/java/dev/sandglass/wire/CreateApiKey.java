package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** A request for a key of the API; one without a name gets one. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CreateApiKey(@Nullable String name) {}
