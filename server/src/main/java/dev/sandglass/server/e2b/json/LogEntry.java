package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened, in a sandbox or in a build.
 *
 * @param step of a build
 */
@Json
public record LogEntry(Instant timestamp, String level, String message, @Nullable String step, @Nullable Map<String, String> fields) {}
