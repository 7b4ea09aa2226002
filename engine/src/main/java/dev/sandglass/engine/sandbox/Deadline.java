package dev.sandglass.engine.sandbox;

import java.time.Duration;
import java.time.Instant;

/**
 * A moment at which something is over, told by two clocks: within a boot by the time since it, which no correction of the wall
 * clock touches; across a reboot by the wall clock.
 *
 * @param length how long it was in all: no clock can make it longer
 */
public record Deadline(Duration length, Instant at, String bootId, Duration uptime) {
    /** That long from a moment on. */
    public static Deadline after(Duration length, Moment now) {
        return new Deadline(length, now.at().plus(length), now.bootId(), now.uptime().plus(length));
    }

    /** How long it still is; nothing when it is over. */
    public Duration remaining(Moment now) {
        Duration left = bootId.equals(now.bootId()) ? uptime.minus(now.uptime()) : Duration.between(now.at(), at);
        return left.isNegative() ? Duration.ZERO : left.compareTo(length) > 0 ? length : left;
    }
}
