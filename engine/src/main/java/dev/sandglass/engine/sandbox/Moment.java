package dev.sandglass.engine.sandbox;

import java.time.Duration;
import java.time.Instant;

/**
 * Now, by the wall clock and by the time since this boot of the host, its sleep included.
 *
 * @param bootId another one after each boot
 */
public record Moment(Instant at, String bootId, Duration uptime) {}
