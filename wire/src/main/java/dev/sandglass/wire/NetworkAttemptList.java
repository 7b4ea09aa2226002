package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;

/**
 * A page of what a sandbox tried to reach, oldest first.
 *
 * @param next where to go on: the {@code after} of the next page
 * @param gap whether attempts between the one asked for and the first of these are no longer kept, or never were
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record NetworkAttemptList(List<NetworkAttempt> attempts, long next, boolean gap) {}
