package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Something in a volume. */
@Json
public record VolumeEntry(
        String name, String type, String path, long size, int mode, long uid, long gid, Instant atime, Instant mtime, Instant ctime, @Nullable String target) {}
