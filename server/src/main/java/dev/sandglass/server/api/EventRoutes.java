package dev.sandglass.server.api;

import dev.sandglass.engine.event.Events;
import dev.sandglass.engine.event.Subscription;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.Query;
import dev.sandglass.server.http.ServerSentEvents;
import dev.sandglass.wire.Event;
import dev.sandglass.wire.EventList;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/** What happens, as a page or as it comes. */
final class EventRoutes {
    static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final Events events;
    private final Duration heartbeat;

    EventRoutes(Events events, Duration heartbeat) {
        this.events = events;
        this.heartbeat = heartbeat;
    }

    Map<String, Handler> handlers() {
        return Map.of("listEvents", this::list);
    }

    private void list(Exchange exchange) throws IOException, InterruptedException {
        if (exchange.accepts("text/event-stream")) {
            follow(exchange);
        } else {
            Query query = exchange.query();
            exchange.answer(
                    200,
                    events.page(
                            query.optionalText("sandbox"), types(query), after(exchange).orElse(0), (int) query.number("limit").orElseThrow()));
        }
    }

    private void follow(Exchange exchange) throws IOException, InterruptedException {
        Query query = exchange.query();
        try (Subscription subscription = events.subscribe(query.optionalText("sandbox"), types(query), after(exchange))) {
            ServerSentEvents stream = exchange.serverSentEvents();
            stream.begin(subscription.position());
            while (true) {
                long before = subscription.position();
                EventList page = exchange.await(() -> subscription.next(heartbeat));
                if (page.gap()) {
                    stream.send(before, "gap", new EventList(List.of(), before, true));
                }
                for (Event event : page.events()) {
                    stream.send(event.id(), event.type(), event);
                }
                if (page.events().isEmpty()) {
                    stream.comment("still here");
                }
            }
        }
    }

    /** What a client saw last; the header is what one sends that comes back by itself. */
    static OptionalLong after(Exchange exchange) {
        return exchange.header("Last-Event-ID").map(id -> OptionalLong.of(Long.parseLong(id))).orElse(exchange.query().number("after"));
    }

    private static Set<String> types(Query query) {
        return Set.copyOf(query.texts("type"));
    }
}
