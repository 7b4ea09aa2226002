package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/**
 * How all that is there grew: each snapshot names its parent, and each sandbox the snapshot whose state it last had.
 *
 * @param snapshots oldest first; a deleted one only where something that is there grew from it
 * @param sandboxes oldest first
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record SnapshotTree(List<Snapshot> snapshots, List<Sandbox> sandboxes) {}
