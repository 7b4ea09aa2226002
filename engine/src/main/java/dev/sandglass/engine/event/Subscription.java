package dev.sandglass.engine.event;

import dev.sandglass.engine.ledger.EventFilter;
import dev.sandglass.wire.EventList;
import java.time.Duration;
import java.util.List;

/** The wanted events as they come, each once. Used by one thread; its owner closes it. */
public final class Subscription implements AutoCloseable {
    private static final int PAGE = 100;

    private final Events events;
    private final EventFilter wanted;
    private long after;
    private long seen = -1;
    private boolean more = true;
    private boolean closed;

    Subscription(Events events, EventFilter wanted, long after) {
        this.events = events;
        this.wanted = wanted;
        this.after = after;
    }

    /** The id behind which it goes on. */
    public long position() {
        return after;
    }

    /** Waits for what comes next; a page without events when nothing came in that time. */
    public EventList next(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (more || events.additions().await(seen, Duration.ofNanos(deadline - System.nanoTime()))) {
            seen = events.additions().count();
            EventList page = events.page(wanted, after, PAGE);
            after = page.next();
            more = page.events().size() == PAGE;
            if (page.gap() || !page.events().isEmpty()) {
                return page;
            }
        }
        return new EventList(List.of(), after, false);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            events.end();
        }
    }
}
