package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** What an attached client is told besides bytes. */
@Json(naming = Json.Naming.LowerUnderscore)
public record AttachEvent(@Nullable Exit exit, @Nullable Problem error) {}
