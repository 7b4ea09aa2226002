package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.Map;

/**
 * Something that happened to a sandbox.
 *
 * @param id rises from event to event
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Event(long id, Instant at, String type, String sandboxId, String sandboxName, Map<String, String> data) {}
