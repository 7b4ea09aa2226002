package dev.sandglass.server.route;

import dev.sandglass.engine.route.Rate;
import dev.sandglass.engine.route.Route;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** How many requests each route has had lately. Thread-safe. */
final class Rates {
    private static final double NANOS = 1e9;
    /** Routes of which this is known; the one that was not used for longest begins anew. */
    private static final int MOST = 10_000;

    private record Counted(SandboxId sandbox, String name, Rate rate) {}

    private static final class Bucket {
        private double left;
        private long filled;
    }

    private final LongSupplier clock;
    private final Map<Counted, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Counted, Bucket> eldest) {
            return size() > MOST;
        }
    };

    Rates(LongSupplier nanos) {
        this.clock = nanos;
    }

    /** {@code rate_limited} when the route has had as many as it takes. */
    void check(Route route) {
        Optional<Rate> rate = route.rate();
        if (rate.isPresent() && !take(new Counted(route.sandbox(), route.name(), rate.get()))) {
            throw new SandglassException(
                    ErrorCode.RATE_LIMITED, "More requests came than this route takes: " + rate.get().perSecond() + " in a second.", "Wait a second.");
        }
    }

    private synchronized boolean take(Counted route) {
        long now = clock.getAsLong();
        Bucket bucket = buckets.computeIfAbsent(route, _ -> {
            Bucket full = new Bucket();
            full.left = route.rate.burst();
            full.filled = now;
            return full;
        });
        bucket.left = Math.min(route.rate.burst(), bucket.left + (now - bucket.filled) / NANOS * route.rate.perSecond());
        bucket.filled = now;
        if (bucket.left < 1) {
            return false;
        }
        bucket.left--;
        return true;
    }
}
