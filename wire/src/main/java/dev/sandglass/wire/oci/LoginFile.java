package dev.sandglass.wire.oci;

import io.avaje.jsonb.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The file in which container tools keep who they are at which registry. */
@Json
public record LoginFile(@Nullable Map<String, Login> auths) {
    /** User and password with a colon between them, in Base64. */
    @Json
    public record Login(@Nullable String auth) {}
}
