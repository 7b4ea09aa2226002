package dev.sandglass.network.dns;

import dev.sandglass.engine.network.HostName;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Answers that are still good, the oldest forgotten first when there are too many. Safe for several threads. */
final class Memory {
    private static final int MOST = 4096;
    private static final Duration OF_NOTHING = Duration.ofSeconds(5);

    private record Entry(Resolution resolution, long until) {}

    private final Map<HostName, Entry> entries = new LinkedHashMap<>();
    private final LongSupplier nanos;

    Memory(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** With the time that it still is good for. */
    synchronized Optional<Resolution> find(HostName name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            return Optional.empty();
        }
        Duration left = Duration.ofNanos(entry.until - nanos.getAsLong());
        if (!left.isPositive()) {
            entries.remove(name);
            return Optional.empty();
        }
        return Optional.of(
                switch (entry.resolution) {
                    case Resolution.Addresses(var addresses, _) -> new Resolution.Addresses(addresses, Duration.ofSeconds(Math.max(1, left.toSeconds())));
                    case Resolution.NoSuchName none -> none;
                    case Resolution.NoAddresses none -> none;
                    case Resolution.Failed failed -> failed;
                });
    }

    /** A failure is not kept: the next who asks may have more luck, and waits for it. */
    synchronized Resolution keep(HostName name, Resolution resolution) {
        Duration time =
                switch (resolution) {
                    case Resolution.Addresses addresses -> addresses.ttl();
                    case Resolution.NoSuchName _ -> OF_NOTHING;
                    case Resolution.NoAddresses _ -> OF_NOTHING;
                    case Resolution.Failed _ -> Duration.ZERO;
                };
        entries.remove(name);
        if (time.isPositive()) {
            entries.put(name, new Entry(resolution, nanos.getAsLong() + time.toNanos()));
        }
        Iterator<HostName> oldest = entries.keySet().iterator();
        while (entries.size() > MOST) {
            oldest.next();
            oldest.remove();
        }
        return resolution;
    }
}
