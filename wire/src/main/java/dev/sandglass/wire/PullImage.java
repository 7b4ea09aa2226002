package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** A request to fetch an image from a registry. */
@Json(naming = Json.Naming.LowerUnderscore)
public record PullImage(String reference, @Nullable String username, @Nullable String password) {
    /** Nobody is to read a password in a log. */
    @Override
    public String toString() {
        return "PullImage[reference=" + reference + "]";
    }
}
