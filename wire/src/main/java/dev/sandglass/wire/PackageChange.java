package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * A package that came, went, or has another version.
 *
 * @param manager dpkg, pip or npm
 * @param before its version, if it was there
 * @param after its version, if it is there
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record PackageChange(String manager, String name, @Nullable String before, @Nullable String after) {}
