package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox as those get it who may use it.
 *
 * @param clientID old clients put it behind the id
 * @param domain below which its ports have host names
 */
@Json
public record Created(
        String templateID,
        String sandboxID,
        String clientID,
        @Nullable String alias,
        String envdVersion,
        @Nullable String envdAccessToken,
        @Nullable String trafficAccessToken,
        @Nullable String domain) {}
