package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** A request for a volume. */
@Json
public record NewVolume(@Nullable String name) {}
