package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** What a template was built into, newest first. */
@Json(naming = Json.Naming.LowerUnderscore)
public record TemplateHistory(String name, List<TemplateVersion> versions) {}
