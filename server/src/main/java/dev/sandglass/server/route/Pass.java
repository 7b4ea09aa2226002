package dev.sandglass.server.route;

import dev.sandglass.engine.route.Route;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * What a request was let in by, and where to.
 *
 * @param path that the sandbox is asked for, without the query
 * @param place the beginning of the path outside that is for us; empty by host name
 * @param secrets names of headers, in lower case, that were for us
 * @param link that came with the URL and is to be kept by the client, and until when
 */
record Pass(Route route, String path, String place, Set<String> secrets, Optional<Link> link) {
    record Link(String text, Instant until) {}

    boolean isByPath() {
        return !place.isEmpty();
    }
}
