package dev.sandglass.wire.oci;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** What the token server of a registry answers; it calls the token by one of two names. */
@Json
public record TokenAnswer(@Nullable String token, @Nullable @Json.Property("access_token") String accessToken) {}
