package dev.sandglass.server.metric;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** How long something took, how often. Thread-safe. */
final class Histogram {
    private static final double[] BOUNDS = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
    private static final double NANOS = 1e9;

    /** One more than there are bounds: the last is for all that is longer. */
    private final LongAdder[] counts =
            Stream.generate(LongAdder::new).limit(BOUNDS.length + 1).toArray(LongAdder[]::new);
    private final LongAdder nanos = new LongAdder();

    void add(long duration) {
        int place = Arrays.binarySearch(BOUNDS, duration / NANOS);
        counts[place < 0 ? -place - 1 : place].increment();
        nanos.add(duration);
    }

    void write(Exposition text, String name, String... labels) {
        String[] more = Arrays.copyOf(labels, labels.length + 2);
        more[labels.length] = "le";
        long sum = 0;
        for (int i = 0; i < counts.length; i++) {
            sum += counts[i].sum();
            more[labels.length + 1] = i < BOUNDS.length ? Exposition.number(BOUNDS[i]) : "+Inf";
            text.value(name + "_bucket", sum, more);
        }
        text.value(name + "_sum", nanos.sum() / NANOS, labels);
        text.value(name + "_count", sum, labels);
    }
}
