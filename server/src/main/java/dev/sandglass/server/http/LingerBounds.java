package dev.sandglass.server.http;

import java.time.Duration;

/**
 * How much is read and dropped of what a client still sends after its answer.
 *
 * @param bytes of one connection
 * @param time for one connection, in all; looked at when something comes
 * @param silence after which a connection is closed
 * @param connections that linger at once; the next ones are closed at once
 */
public record LingerBounds(long bytes, Duration time, Duration silence, int connections) {
    /** Large uploads come to their end within these; a client that watches for its answer needs little of them. */
    public static final LingerBounds DEFAULT = new LingerBounds(4L << 30, Duration.ofSeconds(30), Duration.ofSeconds(5), 64);
}
