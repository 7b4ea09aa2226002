package dev.sandglass.server.route;

import dev.sandglass.engine.route.Access;
import dev.sandglass.engine.route.Route;
import dev.sandglass.engine.route.Routes;
import dev.sandglass.server.http.Bearers;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * Lets in who may. Who may not is told the same whether there is something behind the address or not: nothing has been asked of a sandbox then. Thread-safe.
 */
final class Guard {
    private static final String BEARER = "Bearer ";

    private final Bearers bearers;
    private final Routes routes;

    Guard(Bearers bearers, Routes routes) {
        this.bearers = bearers;
        this.routes = routes;
    }

    /** Whether the owner of the daemon asks, or who has a key, who may know everything. */
    boolean isOwner(Request request) {
        return bearer(request.getHeaders()).flatMap(bearers::find).isPresent();
    }

    /** Whether something came along that could let in where no route is: the owner's token, or what looks like a link. */
    boolean mayKnowMore(Request request) {
        boolean linked = RequestHead.link(request.getHttpURI().getQuery()).filter(Routes::isLink).isPresent();
        return linked || !Cookies.links(request.getHeaders()).isEmpty() || isOwner(request);
    }

    /**
     * By which of the routes a request may come in: at least by one, the most likely first.
     *
     * @param found what may be meant, the most likely first
     */
    List<Pass> admit(Request request, Directory.Found found) {
        boolean owner = isOwner(request);
        List<Pass> passes = found.routes().stream().map(route -> admit(request, owner, route, found)).flatMap(Optional::stream).toList();
        if (!passes.isEmpty()) {
            return passes;
        }
        if (owner) {
            throw found.missing();
        }
        throw new SandglassException(
                ErrorCode.UNAUTHORIZED,
                "Nothing is open to you at this address.",
                "See whether the address is right. If it is private, ask its owner for a link, which `sandglass route link` makes, or send its secret.");
    }

    private Optional<Pass> admit(Request request, boolean owner, Route route, Directory.Found found) {
        HttpFields fields = request.getHeaders();
        Set<String> secrets = new HashSet<>();
        if (owner) {
            secrets.add("authorization");
        }
        boolean open = owner
                || switch (route.access()) {
                    case Access.Public() -> true;
                    case Access.Bearer() -> bearer(fields).filter(secret -> routes.admits(route, secret) && secrets.add("authorization")).isPresent();
                    case Access.Header(String name) -> single(fields.getValuesList(name)).filter(secret -> routes.admits(route, secret)).isPresent();
                    case Access.Linked() -> false;
                };
        if (route.access() instanceof Access.Header(String name)) {
            secrets.add(name.toLowerCase(Locale.ROOT).replace('_', '-'));
        }
        Optional<Pass.Link> link = open ? Optional.empty() : link(request, route);
        if (!open && link.isEmpty() && !hasLinkCookie(request, route)) {
            return Optional.empty();
        }
        return Optional.of(new Pass(route, found.path(route), found.place(), secrets, link, Optional.empty()));
    }

    private Optional<Pass.Link> link(Request request, Route route) {
        Optional<String> text = RequestHead.link(request.getHttpURI().getQuery());
        Optional<Instant> until = text.flatMap(link -> routes.admitsUntil(route, link));
        return until.map(end -> new Pass.Link(text.orElseThrow(), end));
    }

    /** A browser sends a cookie along whoever wrote the page that asks; so the page must be one of the same place, or a person who follows a link. */
    private boolean hasLinkCookie(Request request, Route route) {
        return !isAskedByOthers(request) && Cookies.links(request.getHeaders()).stream().anyMatch(link -> routes.admitsUntil(route, link).isPresent());
    }

    private static boolean isAskedByOthers(Request request) {
        HttpFields fields = request.getHeaders();
        String host = String.valueOf(request.getHttpURI().getAuthority());
        boolean foreign = fields.getValuesList(HttpHeader.ORIGIN).stream().anyMatch(origin -> !origin.replaceFirst("^https?://", "").equalsIgnoreCase(host));
        String site = fields.get("Sec-Fetch-Site");
        boolean sameOrNone = site == null || site.equals("same-origin") || site.equals("none");
        boolean visit = "GET".equals(request.getMethod()) && "navigate".equals(fields.get("Sec-Fetch-Mode")) && "document".equals(fields.get("Sec-Fetch-Dest"));
        return foreign || (!sameOrNone && !visit);
    }

    private static Optional<String> bearer(HttpFields fields) {
        return single(fields.getValuesList(HttpHeader.AUTHORIZATION))
                .filter(value -> value.regionMatches(true, 0, BEARER, 0, BEARER.length()))
                .map(value -> value.substring(BEARER.length()).strip());
    }

    private static Optional<String> single(List<String> values) {
        return values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
    }
}
