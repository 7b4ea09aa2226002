package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * One of two states that are compared.
 *
 * @param kind snapshot, sandbox or image
 * @param processes how many it has; null when that is not known
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record DiffState(String kind, String id, @Nullable String name, @Nullable Long processes) {}
