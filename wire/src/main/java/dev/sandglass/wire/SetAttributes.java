package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A change of a file's attributes; a null xattr value removes it. */
@Json(naming = Json.Naming.LowerUnderscore)
public record SetAttributes(@Nullable String mode, @Nullable String owner, @Nullable String group, @Nullable Boolean recursive, @Nullable Map<String, @Nullable String> xattrs) {}
