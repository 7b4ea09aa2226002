package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of volumes, oldest first. */
@Json(naming = Json.Naming.LowerUnderscore)
public record VolumeList(List<Volume> volumes, @Nullable String nextCursor) {}
