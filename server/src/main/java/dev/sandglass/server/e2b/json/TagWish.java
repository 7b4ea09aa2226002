package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tags to give or to take away.
 *
 * @param target the name and tag of what gets them
 * @param name of the template that loses them
 */
@Json
public record TagWish(@Nullable String target, @Nullable String name, @Nullable List<String> tags) {}
