package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.wire.Route;

/** {@code route inspect}: all of it but its secret. */
final class RouteInspectVerb extends RouteVerb {
    RouteInspectVerb() {
        super(new Syntax("route inspect", "Show a route without its secret."));
    }

    @Override
    Route route(Console console, Client client) {
        return client.routes().get(sandbox.orEmpty(), name.orEmpty());
    }
}
