package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** Snapshot configurations, by id. */
@Json
public record SnapshotConfigList(List<SnapshotConfig> configs) {}
