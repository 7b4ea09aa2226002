package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** A runtime of this machine: usable, or the reason why not. */
@Json(naming = Json.Naming.LowerUnderscore)
public record RuntimeStatus(String name, boolean available, @Nullable String engine, @Nullable String version, @Nullable String reason) {}
