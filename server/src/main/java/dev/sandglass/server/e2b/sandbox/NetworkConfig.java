package dev.sandglass.server.e2b.sandbox;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox may reach and who may reach it, as E2B clients say it.
 *
 * @param allowOut addresses, networks and names, before those of {@code denyOut}
 * @param denyOut addresses and networks
 * @param allowPublicTraffic whether its ports are open to all; so if absent
 * @param maskRequestHost what its programs see as the host of requests; {@code ${PORT}} in it is the port
 * @param httpsPorts ports on which its programs speak TLS
 */
@Json
public record NetworkConfig(
        @Nullable List<String> allowOut,
        @Nullable List<String> denyOut,
        @Nullable Map<String, Object> rules,
        @Nullable Object egressProxy,
        @Nullable Boolean allowPublicTraffic,
        @Nullable String maskRequestHost,
        @Nullable List<Integer> httpsPorts) {}
