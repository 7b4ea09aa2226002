package dev.sandglass.server.api;

import dev.sandglass.engine.usage.Usages;
import dev.sandglass.server.http.Handler;
import java.util.Map;

/** What is used, over HTTP. */
final class StatsRoutes {
    private final Usages usages;

    StatsRoutes(Usages usages) {
        this.usages = usages;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "hostStats", exchange -> exchange.answer(200, usages.host()),
                "sandboxStats", exchange -> exchange.answer(200, usages.of(exchange.segment("sandbox"))));
    }
}
