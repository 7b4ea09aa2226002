package dev.sandglass.server.api;

import dev.sandglass.engine.port.Ports;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import java.util.Map;

/** Connections to ports of sandboxes, each over a WebSocket. */
final class PortRoutes {
    private final Ports ports;

    PortRoutes(Ports ports) {
        this.ports = ports;
    }

    Map<String, Handler> handlers() {
        return Map.of("connectPort", this::connect);
    }

    private void connect(Exchange exchange) {
        exchange.upgrade(() -> new PortConversation(ports.connect(exchange.segment("sandbox"), port(exchange))));
    }

    /** Five digits at most, as its schema says; whether there is such a port is told by who is asked for it. */
    static int port(Exchange exchange) {
        return Integer.parseInt(exchange.segment("port"));
    }
}
