package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What was used at a moment.
 *
 * @param cpus processors in use since the sample before
 * @param cpuMs processor time since the start
 * @param diskBytes absent where the pool cannot tell without walking the tree
 * @param processes absent where the host cannot see them
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Sample(Instant at, double cpus, long cpuMs, long memoryBytes, @Nullable Long diskBytes, @Nullable Long processes) {}
