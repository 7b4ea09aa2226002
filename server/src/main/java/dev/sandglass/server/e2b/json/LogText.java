package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import java.time.Instant;

/** What stands in a line of a log. */
@Json
public record LogText(String level, String logger, String message, Instant timestamp) {}
