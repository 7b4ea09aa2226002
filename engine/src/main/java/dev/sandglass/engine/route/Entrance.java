package dev.sandglass.engine.route;

import dev.sandglass.wire.RouteLink;
import java.time.Instant;

/**
 * Where routes are reached from outside.
 *
 * @param scheme {@code http}, or {@code https} behind a proxy that ends TLS
 * @param host of routes by path: a name or an address, one of IPv6 in brackets
 * @param domain below which the host names of ports are
 */
public record Entrance(String scheme, String host, int port, String domain) {
    /** The parameter of a URL that carries a link. */
    public static final String LINK = "sandglass_link";

    /** Where it is if nothing else is said. */
    public static final Entrance STANDARD = new Entrance("http", "127.0.0.1", 7071, "sandglass.localhost");

    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    /** {@code http://HOST/SANDBOX/ROUTE/}; of a bare port, which has no name, by host name. */
    public String byPath(Route route) {
        return route.name().isEmpty() ? byHost(route) : origin(host) + "/" + route.sandbox().text() + "/" + route.name() + beginning(route);
    }

    /** {@code http://PORT-SANDBOX.DOMAIN/}: with the id without its dash, which stands for the sandbox when its name changes too. */
    public String byHost(Route route) {
        return origin(route.port() + "-" + route.sandbox().undashed() + "." + domain) + beginning(route);
    }

    /** The same with a link in it. */
    RouteLink link(Route route, String token, Instant expires) {
        String query = "?" + LINK + "=" + token;
        return new RouteLink(byPath(route) + query, byHost(route) + query, expires);
    }

    private static String beginning(Route route) {
        return route.prefix().text() + "/";
    }

    private String origin(String name) {
        boolean usual = port == (scheme.equals("https") ? HTTPS : HTTP);
        return scheme + "://" + name + (usual ? "" : ":" + port);
    }
}
