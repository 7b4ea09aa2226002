package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request for a sandbox; what is absent takes the configured default. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CreateSandbox(@Nullable String name, @Nullable String runtime, @Nullable String security, @Nullable Long memoryMb, @Nullable Double cpus, @Nullable Long diskMb, @Nullable Long maxProcesses, @Nullable Map<String, String> env, @Nullable Map<String, String> labels) {}
