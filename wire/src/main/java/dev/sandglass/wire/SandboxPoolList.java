package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/**
 * All pools, by name.
 *
 * @param memoryBudgetBytes what waiting sandboxes may take together
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record SandboxPoolList(List<SandboxPool> pools, long memoryBudgetBytes) {}
