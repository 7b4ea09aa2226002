package dev.sandglass.network.intercept;

import java.util.Optional;

/**
 * Another place at which requests for a server are served. Which one that is, and below which path, was said by who owns the host; a sandbox gets to nothing else there.
 *
 * @param host a name or an address
 * @param from the path below which requests are served at the server that the sandbox names; empty for all
 * @param to the path that stands there in its place
 */
public record Detour(boolean isSecure, String host, int port, String from, String to) {
    /** The path and query there of one here; empty if it is not below the path that is served. */
    Optional<String> target(String written) {
        boolean isBelow = written.startsWith(from + "/") || written.equals(from) || written.startsWith(from + "?");
        if (!isBelow) {
            return Optional.empty();
        }
        String rest = written.substring(from.length());
        return Optional.of(rest.startsWith("/") || !to.isEmpty() ? to + rest : "/" + rest);
    }
}
