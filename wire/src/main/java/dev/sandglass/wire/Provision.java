package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to install components in a sandbox.
 *
 * @param components names of components and bundles, installed in this order after what they require
 * @param definitions components that nobody else knows, or that take the place of known ones here
 * @param variables values for those of the components
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Provision(@Nullable List<String> components, @Nullable List<Component> definitions, @Nullable List<Bundle> bundles, @Nullable Map<String, String> variables) {}
