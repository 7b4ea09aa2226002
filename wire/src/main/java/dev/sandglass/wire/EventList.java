package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/**
 * A page of events, oldest first.
 *
 * @param next where to go on: the {@code after} of the next page
 * @param gap whether events between the one asked for and the first of these are no longer kept
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record EventList(List<Event> events, long next, boolean gap) {}
