package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of snapshots.
 *
 * @param nextCursor of the page behind; absent on the last one
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record SnapshotList(List<Snapshot> snapshots, @Nullable String nextCursor) {}
