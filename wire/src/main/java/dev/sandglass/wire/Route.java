package dev.sandglass.wire;

import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A route as the API shows it.
 *
 * @param sandbox the id of the sandbox
 * @param access {@code private} or {@code public}
 * @param auth how a request to a private one shows its secret: {@code bearer} or {@code header}
 * @param header the name of that header
 * @param methods none are all
 * @param timeout seconds until the first byte of an answer
 * @param resume whether a request wakes a paused sandbox that use is to wake
 * @param forwarded whether the program is told who asks for what, by headers
 * @param url where it is, by path
 * @param hostUrl where it is, by host name
 * @param secret the one that was made for it, in the answer to its making only
 * @param warnings what its maker should know, in the answer to its making only
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Route(
        String sandbox,
        String name,
        int port,
        String access,
        @Nullable String auth,
        @Nullable String header,
        List<String> methods,
        String pathPrefix,
        @Nullable String rewrite,
        @Nullable RouteCors cors,
        @Nullable RouteRate rate,
        int timeout,
        boolean resume,
        boolean websocket,
        boolean forwarded,
        String url,
        String hostUrl,
        Instant createdAt,
        @Nullable String secret,
        @Nullable List<String> warnings) {
    /** The same with the secret that was made for it. */
    public Route revealing(String made) {
        return new Route(sandbox, name, port, access, auth, header, methods, pathPrefix, rewrite, cors, rate, timeout, resume, websocket, forwarded, url, hostUrl, createdAt, made, warnings);
    }

    /** The same with what its maker should know. */
    public Route warning(List<String> of) {
        return new Route(sandbox, name, port, access, auth, header, methods, pathPrefix, rewrite, cors, rate, timeout, resume, websocket, forwarded, url, hostUrl, createdAt, secret, of);
    }

    /** Without the secret, so that it cannot slip into a log. */
    @Override
    public String toString() {
        return "Route[sandbox=" + sandbox + ", name=" + name + ", port=" + port + "]";
    }
}
