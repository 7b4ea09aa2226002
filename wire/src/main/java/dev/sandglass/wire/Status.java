package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What runs here. */
@Json(naming = Json.Naming.LowerUnderscore)
public record Status(String version, long pid, String address, String socket, String routeAddress, String routeDomain, String dataDir, Instant startedAt, String defaultRuntime, List<RuntimeStatus> runtimes, PoolStatus pool, Map<String, Long> sandboxes) {}
