package dev.sandglass.server.metric;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** How long something took, how often. Thread-safe. */
final class Histogram {
    private static final double NANOS = 1e9;

    private final double[] bounds;
    /** One more than there are bounds: the last is for all that is longer. */
    private final LongAdder[] counts;
    private final LongAdder nanos = new LongAdder();

    /** @param bounds in seconds, ascending */
    Histogram(double... bounds) {
        this.bounds = bounds.clone();
        this.counts = Stream.generate(LongAdder::new).limit(bounds.length + 1).toArray(LongAdder[]::new);
    }

    void add(long duration) {
        int place = Arrays.binarySearch(bounds, duration / NANOS);
        counts[place < 0 ? -place - 1 : place].increment();
        nanos.add(duration);
    }

    void write(Exposition text, String name, String... labels) {
        String[] more = Arrays.copyOf(labels, labels.length + 2);
        more[labels.length] = "le";
        long sum = 0;
        for (int i = 0; i < counts.length; i++) {
            sum += counts[i].sum();
            more[labels.length + 1] = i < bounds.length ? Exposition.number(bounds[i]) : "+Inf";
            text.value(name + "_bucket", sum, more);
        }
        text.value(name + "_sum", nanos.sum() / NANOS, labels);
        text.value(name + "_count", sum, labels);
    }
}
