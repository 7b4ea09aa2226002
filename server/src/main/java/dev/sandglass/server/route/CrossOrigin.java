package dev.sandglass.server.route;

import dev.sandglass.engine.route.Cors;
import dev.sandglass.engine.route.Route;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** What pages of other origins are told of a route. */
final class CrossOrigin {
    private static final String MAX_AGE_SECONDS = "600";
    private static final String METHOD = "Access-Control-Request-Method";
    /** A cache must not give one origin's answer to another. */
    private static final Map<String, String> UNTOLD = Map.of("Vary", "Origin");

    private CrossOrigin() {}

    /** The answer to a browser that asks whether a page may send a request; nothing if it does not, or no route says yes. */
    static Optional<Map<String, String>> preflight(Request request, List<Route> routes) {
        String wanted = request.getHeaders().get(METHOD);
        if (!"OPTIONS".equals(request.getMethod()) || wanted == null || !wanted.matches("[A-Z][A-Z0-9_-]{0,31}")) {
            return Optional.empty();
        }
        return opened(request, routes).map(route -> {
            Cors cors = route.cors().orElseThrow();
            Map<String, String> headers = new HashMap<>(told(request, route));
            List<String> methods = new ArrayList<>(cors.methods().isEmpty() ? route.methods() : cors.methods());
            headers.put("Access-Control-Allow-Methods", methods.isEmpty() ? wanted : methods.stream().sorted().collect(Collectors.joining(", ")));
            if (!cors.headers().isEmpty()) {
                headers.put("Access-Control-Allow-Headers", cors.headers().stream().sorted().collect(Collectors.joining(", ")));
            }
            headers.put("Access-Control-Max-Age", MAX_AGE_SECONDS);
            return headers;
        });
    }

    /** What every answer of a route has: who may read it, if one of them asks, and that it is another one for others. */
    static Map<String, String> told(Request request, Route route) {
        if (route.cors().isEmpty()) {
            return Map.of();
        }
        Map<String, String> headers = new HashMap<>(UNTOLD);
        if (opened(request, List.of(route)).isPresent()) {
            headers.put("Access-Control-Allow-Origin", request.getHeaders().get(HttpHeader.ORIGIN));
            if (route.cors().orElseThrow().credentials()) {
                headers.put("Access-Control-Allow-Credentials", "true");
            }
        }
        return headers;
    }

    /**
     * What an answer has to somebody who was not let in. A page of an allowed origin may read it, who learns from the preflight already that a route is there; all others are
     * told the same, whether one is or not.
     */
    static Map<String, String> told(Request request, List<Route> routes) {
        return opened(request, routes).map(route -> told(request, route)).orElse(UNTOLD);
    }

    private static Optional<Route> opened(Request request, List<Route> routes) {
        List<String> origins = request.getHeaders().getValuesList(HttpHeader.ORIGIN);
        return routes.stream().filter(route -> origins.size() == 1 && route.cors().filter(cors -> cors.allows(origins.getFirst())).isPresent()).findFirst();
    }
}
