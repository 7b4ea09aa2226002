package dev.sandglass.bench.report;

import io.avaje.jsonb.Json;

/**
 * A number about Sandglass itself that no raw engine has.
 *
 * @param unit {@code ms}, {@code MB}, {@code MB/s}, or {@code x} for a ratio
 * @param goal what it is to be at most; of {@code MB/s} at least
 * @param met whether it is
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Figure(String what, double value, String unit, double goal, boolean met) {}
