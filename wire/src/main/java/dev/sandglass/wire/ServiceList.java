package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/**
 * The services of a sandbox, by name.
 *
 * @param truncated whether there are more
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record ServiceList(List<Service> services, boolean truncated) {}
