package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** What the sandboxes of a snapshot configuration may use. */
@Json
public record SnapshotConfigResources(@Nullable Double vcpus, @Nullable Long memoryMB) {}
