package dev.sandglass.network.token;

import java.util.Map;
import java.util.TreeMap;

/**
 * The counts that a service has told so far. They only grow, and in a stream each is told for all that came until then: so of each the largest holds. Services of two shapes are understood: those
 * that tell what went in and what came out, with what a cache was written and read beside it, and those that tell a sum as well.
 */
final class Tally {
    private final Map<String, Long> told = new TreeMap<>();
    private boolean isFinal;

    /** @param last whether what comes out is told with it, and not only what went in */
    void note(String count, long value, boolean last) {
        told.merge(count, Math.max(0, value), Math::max);
        isFinal |= last;
    }

    /** Whether a service has told what the whole answer took. */
    boolean isFinal() {
        return isFinal;
    }

    boolean hasInput() {
        return input() > 0;
    }

    /** What went in, from the cache or not: that is less work for the service, but as much for the budget. */
    long input() {
        return Math.max(count("prompt_tokens"), sum(count("input_tokens"), sum(count("cache_creation_input_tokens"), count("cache_read_input_tokens"))));
    }

    long output() {
        return Math.max(count("completion_tokens"), count("output_tokens"));
    }

    long total() {
        return Math.max(count("total_tokens"), sum(input(), output()));
    }

    private long count(String name) {
        return told.getOrDefault(name, 0L);
    }

    /** At most what a number can hold. */
    static long sum(long one, long other) {
        long sum = one + other;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }
}
