package dev.sandglass.network.dns;

import dev.sandglass.engine.network.HostName;
import java.net.Inet4Address;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Which names the addresses stood for that one sandbox was told. A program may use an address for longer than it was told to, so each is remembered for a while after
 * that; the oldest are forgotten when there are too many. Safe for several threads.
 */
public final class Resolved {
    private static final int MOST_ADDRESSES = 1024;
    private static final int MOST_NAMES = 8;
    private static final Duration LONGER_THAN_TOLD = Duration.ofMinutes(5);

    /** By address, and by name: the moment at which it is forgotten. Both in the order in which they were told last. */
    private final Map<Inet4Address, Map<HostName, Long>> told = new LinkedHashMap<>();

    private final LongSupplier nanos;

    public Resolved() {
        this(System::nanoTime);
    }

    Resolved(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Names that this address was the answer for, the one that was asked for last before the others; none if it never was, or too long ago. */
    public synchronized List<HostName> names(Inet4Address address) {
        long now = nanos.getAsLong();
        return told.getOrDefault(address, Map.of()).entrySet().stream()
                .filter(each -> each.getValue() - now > 0)
                .map(Map.Entry::getKey)
                .toList()
                .reversed();
    }

    /** The sandbox was told that the name has these addresses, for that long. */
    public synchronized void remember(HostName name, List<Inet4Address> addresses, Duration ttl) {
        long until = nanos.getAsLong() + ttl.plus(LONGER_THAN_TOLD).toNanos();
        for (Inet4Address address : addresses) {
            Map<HostName, Long> before = told.remove(address);
            Map<HostName, Long> names = before == null ? new LinkedHashMap<>() : before;
            Long untilBefore = names.remove(name);
            names.put(name, untilBefore == null || until - untilBefore > 0 ? until : untilBefore);
            told.put(address, names);
            forgetOldest(names, MOST_NAMES);
        }
        forgetOldest(told, MOST_ADDRESSES);
    }

    private static void forgetOldest(Map<?, ?> entries, int most) {
        Iterator<?> oldest = entries.keySet().iterator();
        while (entries.size() > most) {
            oldest.next();
            oldest.remove();
        }
    }
}
