package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/** A build of a snapshot configuration that has begun. */
@Json
public record SnapshotJob(String jobId) {}
