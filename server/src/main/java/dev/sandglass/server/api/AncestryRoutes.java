package dev.sandglass.server.api;

import dev.sandglass.engine.snapshot.Ancestry;
import dev.sandglass.server.http.Handler;
import java.util.Map;

/** What grew from what, over HTTP. */
final class AncestryRoutes {
    private final Ancestry ancestry;

    AncestryRoutes(Ancestry ancestry) {
        this.ancestry = ancestry;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "getTree", exchange -> exchange.answer(200, ancestry.tree()),
                "getHistory", exchange -> exchange.answer(200, ancestry.history(exchange.segment("sandbox"))));
    }
}
