package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** A request for a template that is what a sandbox is now. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CaptureTemplate(String name, String sandbox, @Nullable String description) {}
