package dev.sandglass.server.route;

import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.route.Route;
import dev.sandglass.engine.route.Routes;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Optional;

/** Finds what requests are addressed to. Thread-safe. */
final class Directory {
    private final Sandboxes sandboxes;
    private final Routes routes;

    Directory(Sandboxes sandboxes, Routes routes) {
        this.sandboxes = sandboxes;
        this.routes = routes;
    }

    /**
     * What may be meant by an address.
     *
     * @param routes that are for the path, the most likely first
     * @param outer the path without what names the sandbox and the route
     * @param place see {@link Pass}
     * @param missing what the owner is told when nothing is there
     */
    record Found(List<Route> routes, String outer, String place, SandglassException missing) {
        String path(Route route) {
            return route.inside(outer).orElseThrow();
        }
    }

    /** @param trusted whether the ledger may be asked too; else only sandboxes that have routes are found, and that costs nobody anything */
    Found find(Destination destination, boolean trusted) {
        return switch (destination) {
            case Destination.Nowhere() -> nothing("There is nothing at this address.");
            case Destination.Port(String name, int port, String path) ->
                sandbox(name, trusted).map(id -> found(routes.at(id, port), path, "")).orElseGet(() -> noSandbox(name));
            case Destination.Named(String name, String route, String path) -> {
                Optional<SandboxId> sandbox = sandbox(name, trusted);
                String outer = path.isEmpty() ? "/" : path;
                String place = ((Destination.Named) destination).place();
                yield sandbox.map(id -> found(routes.find(id, route).stream().toList(), outer, place)).orElseGet(() -> noSandbox(name));
            }
        };
    }

    private Optional<SandboxId> sandbox(String name, boolean trusted) {
        Optional<SandboxId> known = routes.sandbox(name);
        return known.isPresent() || !trusted ? known : sandboxes.find(name);
    }

    private static Found found(List<Route> candidates, String outer, String place) {
        List<Route> fitting = candidates.stream().filter(route -> route.inside(outer).isPresent()).toList();
        return new Found(
                fitting,
                outer,
                place,
                new SandglassException(ErrorCode.ROUTE_NOT_FOUND, "The sandbox has no route of that name for this path.", "`sandglass route ls` lists those that there are."));
    }

    private static Found noSandbox(String name) {
        return new Found(List.of(), "/", "", new SandglassException(ErrorCode.SANDBOX_NOT_FOUND, "There is no sandbox " + name + ".", "`sandglass ls` lists those that there are."));
    }

    private static Found nothing(String what) {
        return new Found(
                List.of(), "/", "", new SandglassException(ErrorCode.ROUTE_NOT_FOUND, what, "Routes are at PORT-SANDBOX.DOMAIN, or at /SANDBOX/ROUTE/ of the address that `sandglass status` shows."));
    }
}
