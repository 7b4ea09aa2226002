package dev.sandglass.engine.sandbox;

import java.time.Duration;
import java.time.Instant;

/**
 * Now, by the wall clock and by the time since this boot of the host, its sleep included.
 *
 * @param bootId another one after each boot
 */
public record Moment(Instant at, String bootId, Duration uptime) {
    /** How long ago another moment was: within a boot by the time since it, across a reboot by the wall clock. */
    public Duration since(Moment earlier) {
        Duration passed = bootId.equals(earlier.bootId) ? uptime.minus(earlier.uptime) : Duration.between(earlier.at, at);
        return passed.isNegative() ? Duration.ZERO : passed;
    }
}
