package dev.sandglass.server.api;

import dev.sandglass.engine.ready.ReadyPools;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.SetPool;
import java.io.IOException;
import java.util.Map;

/** Pools of ready sandboxes over HTTP. */
final class PoolRoutes {
    private final ReadyPools pools;

    PoolRoutes(ReadyPools pools) {
        this.pools = pools;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "listPools", exchange -> exchange.answer(200, pools.list()),
                "getPool", exchange -> exchange.answer(200, pools.get(name(exchange))),
                "setPool", exchange -> exchange.answer(200, pools.set(name(exchange), exchange.json(SetPool.class))),
                "deletePool", this::remove);
    }

    private void remove(Exchange exchange) throws IOException {
        pools.remove(name(exchange));
        exchange.answerNothing();
    }

    private static String name(Exchange exchange) {
        return exchange.segment("snapshot");
    }
}
