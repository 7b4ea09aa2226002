package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** What the sandboxes of a template may use, and the one in which it is built. */
@Json(naming = Json.Naming.LowerUnderscore)
public record TemplateResources(@Nullable Long memoryMb, @Nullable Double cpus, @Nullable Long diskMb, @Nullable Long maxProcesses) {}
