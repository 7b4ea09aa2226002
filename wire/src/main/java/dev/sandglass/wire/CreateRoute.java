package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request to make a route; what is absent has the default. */
@Json(naming = Json.Naming.LowerUnderscore)
public record CreateRoute(
        String name,
        int port,
        @Nullable String access,
        @Nullable String auth,
        @Nullable String header,
        @Nullable String secret,
        @Nullable List<String> methods,
        @Nullable String pathPrefix,
        @Nullable String rewrite,
        @Nullable RouteCors cors,
        @Nullable RouteRate rate,
        @Nullable Integer timeout,
        @Nullable Boolean resume,
        @Nullable Boolean websocket,
        @Nullable Boolean forwarded) {
    /** Without the secret, so that it cannot slip into a log. */
    @Override
    public String toString() {
        return "CreateRoute[name=" + name + ", port=" + port + "]";
    }
}
