package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** What the daemon itself uses. */
@Json(naming = Json.Naming.LowerUnderscore)
public record DaemonStats(long rssBytes, long heapBytes, long threads, long descriptors) {}
