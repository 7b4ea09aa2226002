package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Finds the operation of a request; what the description holds and what is served are the same set. Thread-safe. */
public final class Router {
    private final List<Route> routes;

    private record Route(Operation operation, Handler handler) {}

    /** The operation that a request asks for, with its decoded path variables, or what else there is to say. */
    sealed interface Match {
        record Found(Operation operation, Handler handler, Map<String, String> segments) implements Match {}

        record WrongMethod(Set<String> allowed) implements Match {}

        record NoRoute() implements Match {}
    }

    /** Pairs every described operation with its handler; one without the other is a mistake of the build. */
    public Router(List<Operation> operations, Map<String, Handler> handlers) {
        Set<String> unknown = new HashSet<>(handlers.keySet());
        List<Route> paired = new ArrayList<>();
        for (Operation operation : operations) {
            Handler handler = handlers.get(operation.id());
            if (handler == null || !unknown.remove(operation.id())) {
                throw new IllegalStateException("operation " + operation.id() + " (expected: one handler)");
            }
            paired.add(new Route(operation, handler));
        }
        if (!unknown.isEmpty()) {
            throw new IllegalStateException("handlers " + unknown + " (expected: operations of the API description)");
        }
        paired.sort(Comparator.comparingInt(route -> route.operation().path().variableCount()));
        this.routes = List.copyOf(paired);
    }

    Match find(String method, String rawPath) {
        List<String> segments = PathPattern.segments(rawPath);
        Set<String> allowed = new TreeSet<>();
        for (Route route : routes) {
            Optional<Map<String, String>> variables = route.operation().path().match(segments);
            if (variables.isPresent()) {
                if (route.operation().method().equals(method)) {
                    return new Match.Found(route.operation(), route.handler(), variables.get());
                }
                allowed.add(route.operation().method());
            }
        }
        return allowed.isEmpty() ? new Match.NoRoute() : new Match.WrongMethod(allowed);
    }

    static SandglassException noRoute() {
        return new SandglassException(ErrorCode.ROUTE_NOT_FOUND, "There is nothing at this path.", "See /openapi.json for the paths.");
    }

    static SandglassException wrongMethod(Set<String> allowed) {
        return new SandglassException(
                ErrorCode.METHOD_NOT_ALLOWED, "This path does not take this method.", "Use " + String.join(" or ", allowed) + ".");
    }
}
