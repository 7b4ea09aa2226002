package dev.sandglass.wire.oci;

import io.avaje.jsonb.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names one blob by its digest. */
@Json
public record Descriptor(
        @Nullable String mediaType, @Nullable String digest, long size, @Nullable Platform platform, @Nullable Map<String, String> annotations) {
    public static Descriptor of(String mediaType, String digest, long size) {
        return new Descriptor(mediaType, digest, size, null, null);
    }
}
