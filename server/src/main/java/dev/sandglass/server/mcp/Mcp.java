package dev.sandglass.server.mcp;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.route.Entrance;
import dev.sandglass.server.http.Handler;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Puts the Model Context Protocol together: handlers of the operations that the API describes for it. */
public final class Mcp {
    private Mcp() {}

    /**
     * Handlers by the names of operations.
     *
     * @param entrance where routes are reached
     * @param version of this program, which clients are told
     */
    public static Map<String, Handler> handlers(Engine engine, Supplier<Entrance> entrance, String version) {
        Methods methods = new Methods(engine, entrance, version);
        Map<String, Handler> handlers = new HashMap<>(new HttpEndpoint(methods).handlers());
        handlers.put("carryMcp", exchange -> exchange.upgrade(() -> new LineConversation(methods)));
        return handlers;
    }
}
