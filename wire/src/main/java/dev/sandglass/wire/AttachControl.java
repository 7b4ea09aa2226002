package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** What an attached client asks for besides sending bytes. */
@Json(naming = Json.Naming.LowerUnderscore)
public record AttachControl(@Nullable WindowSize resize, @Nullable String signal, @Nullable Boolean end) {}
