package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox uses, may use and used.
 *
 * @param history one sample for each interval, oldest first; absent in a list
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record SandboxStats(String id, String name, String state, Sample now, SandboxLimits limits, long oomKills, long intervalMs, @Nullable List<Sample> history) {}
