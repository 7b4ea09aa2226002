package dev.sandglass.engine.service;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** How many events of one sandbox may be told: some at once, then one a minute. Thread-safe. */
final class Allowance {
    static final int AT_ONCE = 30;

    private static final long EVERY = TimeUnit.MINUTES.toNanos(1);

    private int left = AT_ONCE;
    private long leftOut;
    private long filled;
    private boolean begun;

    /**
     * Takes one, if there is one.
     *
     * @param now as {@link System#nanoTime()}
     * @return how many were asked for in vain before; empty if this one is too
     */
    synchronized OptionalLong take(long now) {
        if (!begun) {
            begun = true;
            filled = now;
        }
        long more = (now - filled) / EVERY;
        filled += more * EVERY;
        left = (int) Math.min(AT_ONCE, left + more);
        if (left == 0) {
            leftOut++;
            return OptionalLong.empty();
        }
        left--;
        long missing = leftOut;
        leftOut = 0;
        return OptionalLong.of(missing);
    }
}
