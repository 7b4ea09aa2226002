package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key of the API.
 *
 * @param hint how its text ends
 * @param key its text, in the answer that made it and never again
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record ApiKey(String name, String hint, Instant createdAt, @Nullable String key) {
    /** Without the text, so that it cannot slip into a log. */
    @Override
    public String toString() {
        return "ApiKey[name=" + name + ", hint=" + hint + "]";
    }
}
