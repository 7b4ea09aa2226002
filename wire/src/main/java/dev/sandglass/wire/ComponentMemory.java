package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** How much memory a component needs, in MB: while it is installed, and while it runs. */
@Json(naming = Json.Naming.LowerUnderscore)
public record ComponentMemory(@Nullable Long provisionMb, @Nullable Long runMb) {}
