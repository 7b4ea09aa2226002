package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** The line from an image through snapshots to a sandbox as it is now, oldest first. */
@Json(naming = Json.Naming.LowerUnderscore)
public record History(Sandbox sandbox, List<HistoryStep> steps) {}
