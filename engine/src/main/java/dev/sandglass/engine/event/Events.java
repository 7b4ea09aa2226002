package dev.sandglass.engine.event;

import dev.sandglass.engine.ledger.EventFilter;
import dev.sandglass.engine.ledger.EventPage;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.EventList;
import dev.sandglass.wire.SandglassException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** The events of this machine. Thread-safe. */
public final class Events {
    private final Ledger ledger;
    private final Additions additions = new Additions();
    private final AtomicInteger subscriptions = new AtomicInteger();

    public Events(Ledger ledger) {
        this.ledger = ledger;
        ledger.watch(additions::add);
    }

    /**
     * A page of the wanted events behind an id.
     *
     * @param after 0 begins with the oldest that is kept
     */
    public EventList page(Optional<String> sandbox, Set<String> types, long after, int limit) {
        return page(wanted(sandbox, types), after, limit);
    }

    /** By the name or id of one that is gone too, as long as an event of it is kept; else as everywhere, {@code sandbox_not_found}. */
    private EventFilter wanted(Optional<String> sandbox, Set<String> types) {
        EventFilter asked = new EventFilter(sandbox, types);
        boolean told = sandbox.isEmpty() || !ledger.events(0, new EventFilter(sandbox, Set.of()), 1).events().isEmpty();
        return told ? asked : EventFilter.about(ledger.resolve(sandbox.get()), types);
    }

    /** The same, but that one that is not there may come. */
    private EventFilter wantedLater(Optional<String> sandbox, Set<String> types) {
        try {
            return wanted(sandbox, types);
        } catch (SandglassException refusal) {
            if (refusal.code() != ErrorCode.SANDBOX_NOT_FOUND) {
                throw refusal;
            }
            return new EventFilter(sandbox, types);
        }
    }

    EventList page(EventFilter wanted, long after, int limit) {
        EventPage page = ledger.events(after, wanted, limit);
        long next = page.events().size() == limit ? page.events().getLast().id() : page.newest();
        boolean unknown = after > page.newest(); // of a ledger that was put in the place of a newer one
        return new EventList(page.events(), next, after > 0 && (unknown || after < page.oldest() - 1));
    }

    /** @param after an event's id, or nothing to begin with the next that comes */
    public Subscription subscribe(Optional<String> sandbox, Set<String> types, OptionalLong after) {
        EventFilter wanted = wantedLater(sandbox, types);
        long begin = after.isPresent() ? after.getAsLong() : ledger.events(0, EventFilter.ALL, 0).newest();
        subscriptions.incrementAndGet();
        return new Subscription(this, wanted, begin);
    }

    /** How many are open. */
    public int subscriptions() {
        return subscriptions.get();
    }

    void end() {
        subscriptions.decrementAndGet();
    }

    Additions additions() {
        return additions;
    }
}
