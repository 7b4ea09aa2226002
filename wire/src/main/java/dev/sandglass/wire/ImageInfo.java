package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An image that came from a registry or an archive.
 *
 * @param digest of its configuration, which names all of its content
 * @param layers the digests of its layers before they were compressed, the lowest first
 * @param bytes of the files of its layers
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record ImageInfo(
        String id,
        String digest,
        List<String> names,
        String architecture,
        List<String> layers,
        long bytes,
        @Nullable String user,
        @Nullable String workdir,
        Map<String, String> env,
        List<String> entrypoint,
        List<String> cmd,
        Map<String, String> labels,
        List<String> warnings,
        Instant createdAt) {}
