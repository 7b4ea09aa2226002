package dev.sandglass.network.egress;

import dev.sandglass.engine.network.HostName;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** Names of which something was told a moment ago, so that it need not be told again: programs ask for several kinds of addresses, and again. Thread-safe. */
final class Lately {
    private static final int MOST = 64;

    private final Duration moment;
    private final LongSupplier nanos;
    private final Map<HostName, Long> told = new LinkedHashMap<>();

    Lately(Duration moment) {
        this(moment, System::nanoTime);
    }

    Lately(Duration moment, LongSupplier nanos) {
        this.moment = moment;
        this.nanos = nanos;
    }

    /** Whether it is to be told of a name now; if so, it counts as told. */
    synchronized boolean isNew(HostName name) {
        long now = nanos.getAsLong();
        Long before = told.get(name);
        if (before != null && now - before < moment.toNanos()) {
            return false;
        }
        told.remove(name);
        told.put(name, now);
        if (told.size() > MOST) {
            Iterator<HostName> oldest = told.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
        return true;
    }
}
