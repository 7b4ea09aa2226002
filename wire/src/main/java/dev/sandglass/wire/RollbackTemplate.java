package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** A request to let the name of a template stand for an earlier version; the one before if absent. */
@Json(naming = Json.Naming.LowerUnderscore)
public record RollbackTemplate(@Nullable Long version) {}
