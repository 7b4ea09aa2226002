package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request for a template that is about to be built.
 *
 * @param name maybe with a tag behind it
 * @param alias as older clients call the name
 */
@Json
public record NewTemplate(@Nullable String name, @Nullable String alias, @Nullable List<String> tags, @Nullable Double cpuCount, @Nullable Long memoryMB) {}
