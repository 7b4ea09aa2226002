package dev.sandglass.server.api;

import dev.sandglass.engine.route.Entrance;
import dev.sandglass.engine.route.Route;
import dev.sandglass.engine.route.Routes;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.CreateLink;
import dev.sandglass.wire.CreateRoute;
import dev.sandglass.wire.RouteList;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** Routes to sandboxes, and links through them, over HTTP: a secret that was drawn goes out once, and none else. */
final class RouteRoutes {
    private static final long HOUR = 3600;

    private final Routes routes;
    private final Supplier<Entrance> entrance;

    RouteRoutes(Routes routes, Supplier<Entrance> entrance) {
        this.routes = routes;
        this.entrance = entrance;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "listAllRoutes", exchange -> exchange.answer(200, shown(routes.list())),
                "listRoutes", exchange -> exchange.answer(200, shown(routes.list(sandbox(exchange)))),
                "createRoute", this::create,
                "getRoute", exchange -> exchange.answer(200, routes.get(sandbox(exchange), name(exchange)).toWire(entrance.get())),
                "deleteRoute", this::remove,
                "linkRoute", exchange -> exchange.answer(201, routes.link(sandbox(exchange), name(exchange), expires(exchange), entrance.get())),
                "unlinkRoute", this::unlink,
                "linkPort", exchange -> exchange.answer(201, routes.link(sandbox(exchange), PortRoutes.port(exchange), expires(exchange), entrance.get())),
                "unlinkPort", this::unlinkPort);
    }

    private void create(Exchange exchange) throws IOException {
        Routes.Made made = routes.create(sandbox(exchange), exchange.json(CreateRoute.class));
        dev.sandglass.wire.Route shown = made.route().toWire(entrance.get());
        dev.sandglass.wire.Route told = made.warnings().isEmpty() ? shown : shown.warning(made.warnings());
        exchange.answer(201, made.secret().map(told::revealing).orElse(told));
    }

    private void remove(Exchange exchange) throws IOException {
        routes.remove(sandbox(exchange), name(exchange));
        exchange.answerNothing();
    }

    private void unlink(Exchange exchange) throws IOException {
        routes.unlink(sandbox(exchange), name(exchange));
        exchange.answerNothing();
    }

    private void unlinkPort(Exchange exchange) throws IOException {
        routes.unlink(sandbox(exchange), PortRoutes.port(exchange));
        exchange.answerNothing();
    }

    private static long expires(Exchange exchange) throws IOException {
        return Objects.requireNonNullElse(exchange.json(CreateLink.class).expires(), HOUR);
    }

    private RouteList shown(List<Route> found) {
        Entrance now = entrance.get();
        return new RouteList(found.stream().map(route -> route.toWire(now)).toList());
    }

    private static String sandbox(Exchange exchange) {
        return exchange.segment("sandbox");
    }

    private static String name(Exchange exchange) {
        return exchange.segment("route");
    }
}
