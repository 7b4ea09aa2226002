package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.function.LongSupplier;

/**
 * How many requests the bearer of the token may make: so many each second, and as many again at once after a pause.
 * Thread-safe.
 */
final class RateLimit {
    private static final double NANOS = 1e9;
    private static final int BURST_SECONDS = 2;

    private final int perSecond;
    private final LongSupplier clock;
    private double left;
    private long filled;

    /** @param perSecond 0 for no limit */
    RateLimit(int perSecond, LongSupplier nanos) {
        this.perSecond = perSecond;
        this.clock = nanos;
        this.left = (double) perSecond * BURST_SECONDS;
        this.filled = nanos.getAsLong();
    }

    synchronized void check() {
        if (perSecond == 0) {
            return;
        }
        long now = clock.getAsLong();
        left = Math.min((double) perSecond * BURST_SECONDS, left + (now - filled) / NANOS * perSecond);
        filled = now;
        if (left < 1) {
            throw new SandglassException(
                    ErrorCode.RATE_LIMITED,
                    "More than " + perSecond + " requests came in a second.",
                    "Wait a second; `rate_limit` in the settings changes the number.");
        }
        left--;
    }
}
