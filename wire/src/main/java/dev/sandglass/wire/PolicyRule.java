package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** A rule that goes before all others of a policy. */
@Json(naming = Json.Naming.LowerUnderscore)
public record PolicyRule(String rule) {}
