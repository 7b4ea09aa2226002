package dev.sandglass.server.http;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * Where the daemon listens and what it bears.
 *
 * @param host the address to bind, an address of this machine
 * @param port 0 takes a free one
 * @param socket the path of the unix socket, at most 90 bytes
 * @param hostNames names that are accepted as Host and Origin besides localhost, 127.0.0.1 and ::1
 * @param maxConnections connections at once over both listeners; the next ones are told so
 * @param requestsPerSecond 0 for no limit
 * @param idleTimeout how long a connection may be silent between requests and within a request's head or JSON body
 * @param streamPatience how long a stream or WebSocket may stand still because one side does not take or give anything
 * @param eventPatience how long a client of server-sent events may take nothing
 * @param linger how long a client that is answered early may go on sending
 */
public record HttpSettings(
        String host, int port, Path socket, Set<String> hostNames, int maxConnections, int requestsPerSecond, Duration idleTimeout, Duration streamPatience, Duration eventPatience, LingerBounds linger) {
    public static final int DEFAULT_PORT = 7070;
    public static final int DEFAULT_MAX_CONNECTIONS = 2000;
    public static final int DEFAULT_REQUESTS_PER_SECOND = 5000;
    public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofSeconds(60);
    public static final Duration DEFAULT_STREAM_PATIENCE = Duration.ofHours(1);
    /** With a comment more often than that, an open stream of events never ends by itself. */
    public static final Duration DEFAULT_EVENT_PATIENCE = Duration.ofSeconds(60);

    public HttpSettings {
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 0 to 65535)");
        }
        if (maxConnections < 1) {
            throw new IllegalArgumentException("maxConnections: " + maxConnections + " (expected: >= 1)");
        }
        if (requestsPerSecond < 0) {
            throw new IllegalArgumentException("requestsPerSecond: " + requestsPerSecond + " (expected: >= 0)");
        }
        hostNames = Set.copyOf(hostNames);
    }

    public HttpSettings(String host, int port, Path socket, Set<String> hostNames, int maxConnections) {
        this(host, port, socket, hostNames, maxConnections, DEFAULT_REQUESTS_PER_SECOND, DEFAULT_IDLE_TIMEOUT, DEFAULT_STREAM_PATIENCE, DEFAULT_EVENT_PATIENCE, LingerBounds.DEFAULT);
    }

    public static HttpSettings at(Path socket) {
        return new HttpSettings("127.0.0.1", DEFAULT_PORT, socket, Set.of(), DEFAULT_MAX_CONNECTIONS);
    }

    public HttpSettings withPort(int changed) {
        return new HttpSettings(host, changed, socket, hostNames, maxConnections, requestsPerSecond, idleTimeout, streamPatience, eventPatience, linger);
    }

    public HttpSettings withRequestsPerSecond(int changed) {
        return new HttpSettings(host, port, socket, hostNames, maxConnections, changed, idleTimeout, streamPatience, eventPatience, linger);
    }

    public HttpSettings withIdleTimeout(Duration changed) {
        return new HttpSettings(host, port, socket, hostNames, maxConnections, requestsPerSecond, changed, streamPatience, eventPatience, linger);
    }

    /** For clients that take nothing, of streams and WebSockets and of events. */
    public HttpSettings withPatience(Duration changed) {
        return new HttpSettings(host, port, socket, hostNames, maxConnections, requestsPerSecond, idleTimeout, changed, changed, linger);
    }

    HttpSettings withLinger(LingerBounds changed) {
        return new HttpSettings(host, port, socket, hostNames, maxConnections, requestsPerSecond, idleTimeout, streamPatience, eventPatience, changed);
    }
}
