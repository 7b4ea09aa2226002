package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A file or directory of a sandbox. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Entry(String name, String path, String kind, String mode, long uid, long gid, @Nullable String owner, @Nullable String group, long size, Instant modifiedAt, @Nullable String target) {}
