package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a sandbox may reach from now on. */
@Json
public record NetworkWish(
        @Nullable List<String> allowOut,
        @Nullable List<String> denyOut,
        @Nullable Map<String, Object> rules,
        @Nullable Object egressProxy,
        @Json.Property("allow_internet_access") @Nullable Boolean allowInternetAccess) {}
