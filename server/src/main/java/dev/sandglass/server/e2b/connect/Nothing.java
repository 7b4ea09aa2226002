package dev.sandglass.server.e2b.connect;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/**
 * A message without anything in it.
 *
 * @param nothing always null: of a record without fields the JSON library writes what it has of every object
 */
@Json
public record Nothing(@Nullable Boolean nothing) {
    public static Nothing atAll() {
        return new Nothing(null);
    }
}
