package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.util.List;

/** A snapshot: clients make sandboxes of it by this id, as if it were a template. */
@Json
public record SnapshotInfo(String snapshotID, List<String> names) {}
