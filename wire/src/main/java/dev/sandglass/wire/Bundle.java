package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Components that belong together, under one name. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Bundle(String name, @Nullable String description, List<String> components, @Nullable String origin) {}
