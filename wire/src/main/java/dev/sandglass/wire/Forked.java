package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/**
 * Copies of one state.
 *
 * @param pauseMs for how long the source stood still
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Forked(List<Sandbox> sandboxes, double pauseMs) {}
