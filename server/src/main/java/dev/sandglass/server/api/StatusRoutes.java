package dev.sandglass.server.api;

import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.Health;
import dev.sandglass.wire.Status;
import java.util.Map;
import java.util.function.Supplier;

/** Whether the daemon works, what it runs, and what it understands. */
final class StatusRoutes {
    private final Supplier<Status> status;
    private final byte[] description;

    StatusRoutes(Supplier<Status> status, Contract contract) {
        this.status = status;
        this.description = contract.json();
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "health", exchange -> exchange.answer(200, new Health("ok")),
                "status", exchange -> exchange.answer(200, status.get()),
                "openapi", exchange -> exchange.answerJson(description));
    }
}
