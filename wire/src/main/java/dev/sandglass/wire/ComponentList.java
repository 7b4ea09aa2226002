package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What can be installed by name.
 *
 * @param problems what is wrong with files that were left out
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record ComponentList(List<Component> components, List<Bundle> bundles, @Nullable List<String> problems) {}
