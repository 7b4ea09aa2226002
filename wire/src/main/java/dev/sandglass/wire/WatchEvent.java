package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** Something that happened below a watched directory. */
@Json(naming = Json.Naming.LowerUnderscore)
public record WatchEvent(String event, @Nullable String path, @Nullable Boolean directory) {}
