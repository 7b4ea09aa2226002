package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;

/**
 * A way in for whoever has it, until it expires.
 *
 * @param url by path; of a bare port, which has none, by host name too
 * @param hostUrl by host name
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record RouteLink(String url, String hostUrl, Instant expiresAt) {
    /** Without the URLs, which let in who has them. */
    @Override
    public String toString() {
        return "RouteLink[expiresAt=" + expiresAt + "]";
    }
}
