package dev.sandglass.client.daemon;

import dev.sandglass.wire.CreateLink;
import dev.sandglass.wire.CreateRoute;
import dev.sandglass.wire.Route;
import dev.sandglass.wire.RouteLink;
import dev.sandglass.wire.RouteList;
import java.util.List;

/** What clients do with routes, and with links to them and to ports. */
public record Routes(Client client) {
    public Route create(String sandbox, CreateRoute request) {
        return client.ask(Route.class, "POST", Query.of("v1", "sandboxes", sandbox, "routes"), Client.json(request));
    }

    /** The routes of all sandboxes, by sandbox and name. */
    public List<Route> list() {
        return client.ask(RouteList.class, "GET", Query.of("v1", "routes"), null).routes();
    }

    /** Those of one sandbox, by name. */
    public List<Route> list(String sandbox) {
        return client.ask(RouteList.class, "GET", Query.of("v1", "sandboxes", sandbox, "routes"), null).routes();
    }

    public Route get(String sandbox, String route) {
        return client.ask(Route.class, "GET", Query.of("v1", "sandboxes", sandbox, "routes", route), null);
    }

    public void delete(String sandbox, String route) {
        client.finish(client.send("DELETE", Query.of("v1", "sandboxes", sandbox, "routes", route), null));
    }

    /**
     * A link to a route or a port.
     *
     * @param kind {@code routes} or {@code ports}
     */
    public RouteLink link(String sandbox, String kind, String target, CreateLink request) {
        return client.ask(RouteLink.class, "POST", Query.of("v1", "sandboxes", sandbox, kind, target, "link"), Client.json(request));
    }

    /** Makes all links to it worthless. */
    public void unlink(String sandbox, String kind, String target) {
        client.finish(client.send("DELETE", Query.of("v1", "sandboxes", sandbox, kind, target, "link"), null));
    }
}
