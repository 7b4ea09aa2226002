package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * How it is told whether a service is well: by a command, a request or a connection to its port, one of them.
 *
 * @param command a line of shell that ends with 0 when all is well
 * @param path what is asked for over HTTP, on the service's port
 * @param tcp whether a connection to its port is enough
 * @param retries so many failures in a row mean that it is not well
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record HealthCheck(@Nullable String command, @Nullable String path, @Nullable Boolean tcp, @Nullable Long intervalMs, @Nullable Long timeoutMs, @Nullable Integer retries) {}
