package dev.sandglass.client;

import dev.sandglass.wire.CreateLink;
import dev.sandglass.wire.CreateRoute;
import dev.sandglass.wire.Route;
import dev.sandglass.wire.RouteLink;
import java.time.Duration;
import java.util.List;

/** The routes of a sandbox: entries for HTTP requests from outside to its ports. */
public final class Routes {
    private static final String ROUTES = "routes";

    private final Daemon daemon;
    private final String sandbox;

    Routes(Daemon daemon, String sandbox) {
        this.daemon = daemon;
        this.sandbox = sandbox;
    }

    /** Lets in who has the secret, which is drawn and told once, or a link. */
    public Route create(String name, int port) {
        return create(new CreateRoute(name, port, null, null, null, null, null, null, null, null, null, null, null, null, null));
    }

    /** Lets in whoever asks. */
    public Route createPublic(String name, int port) {
        return create(new CreateRoute(name, port, "public", null, null, null, null, null, null, null, null, null, null, null, null));
    }

    public Route create(CreateRoute request) {
        return daemon.ask(client -> client.routes().create(sandbox, request));
    }

    /** All that it has, by name. */
    public List<Route> list() {
        return daemon.ask(client -> client.routes().list(sandbox));
    }

    public Route get(String name) {
        return daemon.ask(client -> client.routes().get(sandbox, name));
    }

    public void remove(String name) {
        daemon.ask(client -> {
            client.routes().delete(sandbox, name);
            return true;
        });
    }

    /** A link that lets in through a route until it expires. */
    public RouteLink link(String name, Duration expires) {
        return daemon.ask(client -> client.routes().link(sandbox, ROUTES, name, new CreateLink(CreateOptions.seconds(expires))));
    }

    /** Makes all links to it worthless. */
    public void unlink(String name) {
        daemon.ask(client -> {
            client.routes().unlink(sandbox, ROUTES, name);
            return true;
        });
    }
}
