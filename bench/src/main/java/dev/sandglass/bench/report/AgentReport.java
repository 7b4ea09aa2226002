package dev.sandglass.bench.report;

import io.avaje.jsonb.Json;
import java.util.List;

/**
 * A run with agents as a whole.
 *
 * @param sandboxes of each agent
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record AgentReport(Facts facts, int sandboxes, List<AgentFigures> agents) {}
