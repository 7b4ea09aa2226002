package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** What a sandbox is made: what a snapshot has, or, with {@code undo}, what it was before. */
@Json(naming = Json.Naming.LowerUnderscore)
public record RewindSandbox(@Nullable String snapshot, @Nullable Boolean undo, @Nullable Boolean diskOnly) {}
