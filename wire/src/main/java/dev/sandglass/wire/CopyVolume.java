package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The copy of a volume that somebody wants to have; without a name it gets one that follows from the volume's. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CopyVolume(@Nullable String name, @Nullable Map<String, String> labels) {}
