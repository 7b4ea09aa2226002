package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The volume that somebody wants to have. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CreateVolume(@Nullable String name, @Nullable Long sizeMb, @Nullable Map<String, String> labels) {}
