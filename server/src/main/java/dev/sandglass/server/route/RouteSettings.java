package dev.sandglass.server.route;

import dev.sandglass.engine.route.Entrance;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Where routes are listened on and what they bear.
 *
 * @param host the address to bind
 * @param port 0 takes a free one
 * @param domain below which the host names of ports are, in lower case
 * @param front what clients see instead of the address, behind a proxy
 * @param hostNames hosts of routes by path besides the domain, localhost, 127.0.0.1 and ::1
 * @param maxConnections of clients at once
 * @param idleTimeout how long a connection may be silent between requests and within a head, and a client may send or take nothing of a body
 * @param streamPatience how long an answer that has begun, or a WebSocket, may stand still
 * @param wakePatience how long a request waits for a sandbox to wake up
 */
public record RouteSettings(
        String host, int port, String domain, Optional<Front> front, Set<String> hostNames, int maxConnections, Duration idleTimeout, Duration streamPatience, Duration wakePatience) {
    public static final int DEFAULT_PORT = 7071;
    public static final String DEFAULT_DOMAIN = "sandglass.localhost";
    public static final int DEFAULT_MAX_CONNECTIONS = 2000;
    public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofSeconds(60);
    public static final Duration DEFAULT_STREAM_PATIENCE = Duration.ofHours(1);
    public static final Duration DEFAULT_WAKE_PATIENCE = Duration.ofSeconds(30);

    /**
     * A proxy through which all clients come.
     *
     * @param scheme {@code http}, or {@code https} if it ends TLS
     * @param host of routes by path, in lower case
     */
    public record Front(String scheme, String host, int port) {}

    public RouteSettings {
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 0 to 65535)");
        }
        hostNames = Set.copyOf(hostNames);
    }

    /** That clients speak. */
    String scheme() {
        return front.map(Front::scheme).orElse("http");
    }

    /**
     * Where routes are reached from outside.
     *
     * @param taken the port that is listened on
     */
    public Entrance entrance(int taken) {
        boolean everywhere = host.equals("0.0.0.0") || host.equals("[::]");
        return front.map(proxy -> new Entrance(proxy.scheme(), proxy.host(), proxy.port(), domain))
                .orElseGet(() -> new Entrance("http", everywhere ? domain : host, taken, domain));
    }

    public RouteSettings(String host, int port, String domain, Optional<Front> front, Set<String> hostNames, Duration wakePatience) {
        this(host, port, domain, front, hostNames, DEFAULT_MAX_CONNECTIONS, DEFAULT_IDLE_TIMEOUT, DEFAULT_STREAM_PATIENCE, wakePatience);
    }
}
