package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** A file as one of two states has it. */
@Json(naming = Json.Naming.LowerUnderscore)
public record FileVersion(String kind, String mode, long uid, long gid, long size, @Nullable String target) {}
