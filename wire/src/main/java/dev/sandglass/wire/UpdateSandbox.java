package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A change of a sandbox; what is absent stays. A label whose value is null is removed, the others are added or replaced. */
@Json(naming = Json.Naming.LowerUnderscore)
public record UpdateSandbox(@Nullable String name, @Nullable Long memoryMb, @Nullable Double cpus, @Nullable Long diskMb, @Nullable Long maxProcesses, @Nullable Map<String, @Nullable String> labels, @Nullable Long timeout, @Nullable String onTimeout, @Nullable Long ttl, @Nullable Long hardTtl, @Nullable Boolean autoResume, @Nullable Long checkpointEvery, @Nullable Integer keepCheckpoints, @Nullable String restart) {}
