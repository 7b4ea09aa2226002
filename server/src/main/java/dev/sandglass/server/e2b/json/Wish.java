package dev.sandglass.server.e2b.json;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * What is said about something that is done to a sandbox. Times are seconds.
 *
 * @param duration as older clients call the timeout of a refresh
 * @param memory whether its processes are kept, or go on
 * @param count of copies
 * @param name of a snapshot
 */
@Json
public record Wish(@Nullable Long timeout, @Nullable Long duration, @Nullable Boolean memory, @Nullable Long count, @Nullable String name) {}
