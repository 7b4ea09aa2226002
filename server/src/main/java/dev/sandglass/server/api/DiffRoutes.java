package dev.sandglass.server.api;

import dev.sandglass.engine.diff.Differences;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.Query;
import java.io.IOException;
import java.util.Map;

/** What differs between two states, over HTTP. */
final class DiffRoutes {
    private final Differences differences;

    DiffRoutes(Differences differences) {
        this.differences = differences;
    }

    Map<String, Handler> handlers() {
        return Map.of("getDiff", this::diff);
    }

    private void diff(Exchange exchange) throws IOException {
        Query query = exchange.query();
        int limit = (int) query.number("limit").orElseThrow();
        exchange.answer(200, differences.between(query.optionalText("from"), query.text("to"), query.flag("text"), limit));
    }
}
