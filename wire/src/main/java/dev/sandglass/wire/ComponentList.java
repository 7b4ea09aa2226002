package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/** What can be installed by name. */
@Json(naming = Json.Naming.LowerUnderscore)
public record ComponentList(List<Component> components, List<Bundle> bundles) {}
