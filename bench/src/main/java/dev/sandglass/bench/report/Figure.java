package dev.sandglass.bench.report;

import io.avaje.jsonb.Json;

/**
 * A number about Sandglass itself that no raw engine has.
 *
 * @param unit {@code ms} or {@code MB}
 * @param goal what it is to be at most
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Figure(String what, double value, String unit, double goal) {}
