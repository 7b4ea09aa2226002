package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How a command ended. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Exit(int code, @Nullable Integer signal, @Nullable String reason, @Nullable String message, long userMs, long systemMs, long maxRssKb, @Nullable Instant endedAt) {}
