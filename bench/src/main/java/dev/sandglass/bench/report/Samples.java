package dev.sandglass.bench.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Times of one thing, in nanoseconds. Not thread-safe. */
public final class Samples {
    private final List<Long> nanos = new ArrayList<>();

    public void add(long sample) {
        if (sample < 0) {
            throw new IllegalArgumentException("sample: " + sample + " (expected: >= 0)");
        }
        nanos.add(sample);
    }

    public int count() {
        return nanos.size();
    }

    public double medianMillis() {
        return quantileMillis(0.5);
    }

    public double p90Millis() {
        return quantileMillis(0.9);
    }

    public double leastMillis() {
        return quantileMillis(0);
    }

    /** Between two samples it lies on the line between them. */
    public double quantileMillis(double share) {
        if (nanos.isEmpty()) {
            throw new IllegalStateException("no samples");
        }
        List<Long> sorted = new ArrayList<>(nanos);
        Collections.sort(sorted);
        double place = share * (sorted.size() - 1);
        int below = (int) Math.floor(place);
        int above = (int) Math.ceil(place);
        double value = sorted.get(below) + (place - below) * (sorted.get(above) - sorted.get(below));
        return value / 1e6;
    }
}
