package dev.sandglass.engine.life;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How long to wait before what failed is tried again: twice as long after each failure, up to a bound. Thread-safe. */
public final class Patience<K> {
    private static final int MOST_DOUBLINGS = 30;

    private final Duration least;
    private final Duration most;
    private final Map<K, Integer> failures = new ConcurrentHashMap<>();

    public Patience(Duration least, Duration most) {
        this.least = least;
        this.most = most;
    }

    /** Notes one more failure; how long to wait because of it. */
    public Duration failed(K key) {
        int doublings = Math.min(failures.merge(key, 1, Integer::sum) - 1, MOST_DOUBLINGS);
        Duration wait = least.multipliedBy(1L << doublings);
        return wait.compareTo(most) < 0 ? wait : most;
    }

    /** It has worked, or is gone. */
    public void forget(K key) {
        failures.remove(key);
    }
}
