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

    private CrossOrigin() {}

    /** The answer to a browser that asks whether a page may send a request; nothing if it does not, or no route says yes. */
    static Optional<Map<String, String>> preflight(Request request, List<Route> routes) {
        String wanted = request.getHeaders().get(METHOD);
        if (!"OPTIONS".equals(request.getMethod()) || wanted == null || !wanted.matches("[A-Z][A-Z0-9_-]{0,31}")) {
            return Optional.empty();
        }
        return routes.stream().filter(route -> allowed(request, route).isPresent()).findFirst().map(route -> {
            Cors cors = route.cors().orElseThrow();
            Map<String, String> headers = new HashMap<>(allowed(request, route).orElseThrow());
            List<String> methods = new ArrayList<>(cors.methods().isEmpty() ? route.methods() : cors.methods());
            headers.put("Access-Control-Allow-Methods", methods.isEmpty() ? wanted : methods.stream().sorted().collect(Collectors.joining(", ")));
            if (!cors.headers().isEmpty()) {
                headers.put("Access-Control-Allow-Headers", cors.headers().stream().sorted().collect(Collectors.joining(", ")));
            }
            headers.put("Access-Control-Max-Age", MAX_AGE_SECONDS);
            return headers;
        });
    }

    /** What an answer to a page of another origin has, if that may see it. */
    static Optional<Map<String, String>> allowed(Request request, Route route) {
        List<String> origins = request.getHeaders().getValuesList(HttpHeader.ORIGIN);
        return route.cors().filter(cors -> origins.size() == 1 && cors.allows(origins.getFirst())).map(cors -> {
            Map<String, String> headers = new HashMap<>(Map.of("Access-Control-Allow-Origin", origins.getFirst(), "Vary", "Origin"));
            if (cors.credentials()) {
                headers.put("Access-Control-Allow-Credentials", "true");
            }
            return headers;
        });
    }
}
