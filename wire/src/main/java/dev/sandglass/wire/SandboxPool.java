package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * Sandboxes that are kept ready.
 *
 * @param name of the snapshot or template with which they begin
 * @param origin {@code user}, or {@code template} if its recipe says so
 * @param snapshot with which they begin now
 * @param claimed how often one was given away since the daemon was started
 * @param missed how often somebody wanted one and none could be given
 * @param memoryBytes what those take that wait
 * @param problem why there are not as many as there are to be
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record SandboxPool(
        String name,
        String origin,
        @Nullable String snapshot,
        long minIdle,
        long maxIdle,
        @Nullable String warmUp,
        long ready,
        long filling,
        long claimed,
        long missed,
        long memoryBytes,
        @Nullable String problem) {}
