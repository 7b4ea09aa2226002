package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** Templates by name. */
@Json(naming = Json.Naming.LowerUnderscore)
public record TemplateList(List<TemplateStatus> templates) {}
