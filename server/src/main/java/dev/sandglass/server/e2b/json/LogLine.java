package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.time.Instant;

/**
 * Something that happened in a sandbox, as old clients read it.
 *
 * @param line JSON, in which they look for {@code level}
 */
@Json
public record LogLine(Instant timestamp, String line) {}
