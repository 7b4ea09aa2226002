package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** Who is to own something in a volume, and its mode. */
@Json
public record VolumeChange(@Nullable Long uid, @Nullable Long gid, @Nullable Integer mode) {}
