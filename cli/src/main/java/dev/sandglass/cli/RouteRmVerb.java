package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;

/** {@code route rm}: routes are gone, and their secrets and links with them. */
final class RouteRmVerb extends RemovalVerb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");

    RouteRmVerb() {
        super(new Syntax("route rm", "Remove routes. Their secrets and links let nobody in from the next request on."), 1, "ROUTE", "The name of the route.");
    }

    @Override
    void remove(Client client, String name) {
        client.routes().delete(sandbox.orEmpty(), name);
    }
}
