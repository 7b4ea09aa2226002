package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** An error as the API answers it. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Problem(String code, String message, String hint) {}
