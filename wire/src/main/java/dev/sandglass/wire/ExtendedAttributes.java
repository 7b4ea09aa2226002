package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.Map;

/** The extended attributes of a file, values in base64. */
@Json(naming = Json.Naming.LowerUnderscore)
public record ExtendedAttributes(Map<String, String> xattrs) {}
