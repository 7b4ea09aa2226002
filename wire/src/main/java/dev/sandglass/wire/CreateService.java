package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to have a command supervised in a sandbox.
 *
 * @param restart {@code never}, {@code on-failure} or {@code always}
 * @param maxRestarts so often in a minute; then it has failed
 * @param backoffMs before it is started again
 * @param after those that are started before it
 * @param start whether it is started now, and not only with the sandbox
 * @param replace whether it takes the place of one of that name
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record CreateService(
        String name,
        List<String> argv,
        @Nullable String description,
        @Nullable String cwd,
        @Nullable Map<String, String> env,
        @Nullable String user,
        @Nullable Integer port,
        @Nullable String restart,
        @Nullable Integer maxRestarts,
        @Nullable Long backoffMs,
        @Nullable HealthCheck health,
        @Nullable List<String> after,
        @Nullable Boolean start,
        @Nullable Boolean replace) {}
