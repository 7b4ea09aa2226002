package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** All keys of the API, by name. */
@Json(naming = Json.Naming.LowerUnderscore)
public record ApiKeyList(List<ApiKey> keys) {}
