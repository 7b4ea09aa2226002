package dev.sandglass.engine.route;

import dev.sandglass.engine.key.KeyFile;
import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.PortRecord;
import dev.sandglass.engine.ledger.RouteLedger;
import dev.sandglass.engine.ledger.RouteRecord;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.CreateRoute;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Refusal;
import dev.sandglass.wire.RouteLink;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The routes of this machine. Thread-safe: who looks for one, or shows a secret or a link, waits for nobody. */
public final class Routes {
    private static final Logger LOG = LoggerFactory.getLogger(Routes.class);
    /** Of ports whose links were never made worthless. */
    private static final String FIRST = "";
    /** Where a path and a host name say the same, the route that says more of the path is meant. */
    private static final Comparator<Route> NARROWEST_FIRST =
            Comparator.<Route>comparingInt(route -> -route.prefix().text().length()).thenComparing(Route::name);

    /** A route and its row. */
    private record Kept(Route route, RouteRecord row) {}

    private record Port(SandboxId sandbox, int number) {}

    private final Ledger ledger;
    private final Secrets secrets;
    private final Links links;
    private final Map<SandboxId, ConcurrentSkipListMap<String, Kept>> kept = new ConcurrentHashMap<>();
    private final Map<Port, String> generations = new ConcurrentHashMap<>();
    private final Names names = new Names();

    private Routes(Ledger ledger, KeyedHash hash) {
        this.ledger = ledger;
        this.secrets = new Secrets(hash);
        this.links = new Links(hash);
    }

    /**
     * Those that are kept, before any of these sandboxes can be destroyed.
     *
     * @param key the file of the key of secrets and links, which is made if there is none
     */
    public static Routes open(Ledger ledger, Sandboxes sandboxes, Path key) {
        KeyFile file = new KeyFile(key, "key file of the routes", "Put the file back that was there, or remove it: then no secret and no link of the routes that there are counts any more.");
        Routes routes = new Routes(ledger, new KeyedHash(file.readOrCreate()));
        sandboxes.watchEnds(gone -> routes.forget(gone.id()));
        sandboxes.watchNames(routes::renamed);
        routes.rows().all().forEach(routes::load);
        ledger.sandboxes().forEach(routes::renamed);
        routes.rows().ports().forEach(port -> routes.generations.put(new Port(port.sandbox(), port.port()), port.generation()));
        return routes;
    }

    /** One that is not what was written does not keep the daemon from its start: it is as good as not there. */
    private void load(RouteRecord row) {
        try {
            CreateRoute asked = Json.read(CreateRoute.class, row.description().getBytes(StandardCharsets.UTF_8));
            put(new Kept(Route.of(row.sandbox(), asked, row.generation(), row.createdAt()), row));
        } catch (SandglassException | IllegalArgumentException damaged) {
            LOG.debug("because", damaged);
            LOG.error("The ledger's row of the route {} of {} is damaged; it lets nobody in", row.name(), row.sandbox());
        }
    }

    /**
     * A route that was made.
     *
     * @param secret if it was drawn here: nobody sees it again
     * @param warnings what its maker may not have meant
     */
    public record Made(Route route, Optional<String> secret, List<String> warnings) {}

    /** Makes one. */
    public synchronized Made create(String ref, CreateRoute request) {
        SandboxRecord owner = ledger.resolveWhole(ref);
        SandboxId sandbox = owner.id();
        Route route = Route.of(sandbox, request, KeyedHash.random(), Instant.now().truncatedTo(ChronoUnit.MILLIS));
        String given = request.secret();
        boolean open = route.access() instanceof Access.Public;
        if (open && given != null) {
            throw Refusal.of("secret", "one", "none, for a public route");
        }
        if (given != null) {
            Secrets.require(given);
        }
        Optional<String> drawn = open || given != null ? Optional.empty() : Optional.of(KeyedHash.random());
        String hashed = open ? "" : secrets.kept(route, given == null ? drawn.orElseThrow() : given);
        RouteRecord row = new RouteRecord(sandbox, route.name(), Json.write(withoutSecret(request)), hashed, route.generation(), route.createdAt());
        rows().insert(row, change("route.created", route));
        put(new Kept(route, row));
        names.put(sandbox, owner.name());
        return new Made(route, drawn, warnings(route, owner));
    }

    private static List<String> warnings(Route route, SandboxRecord owner) {
        boolean sleepsOn = route.resume() && !owner.deadlines().lifecycle().autoResume();
        return sleepsOn ? List.of("resume: no request wakes " + owner.name() + ", which is not to be woken by use; `sandglass update " + owner.name() + " --auto-resume` changes that") : List.of();
    }

    /** Those of all sandboxes, by sandbox and name. */
    public List<Route> list() {
        return kept.keySet().stream().sorted().flatMap(sandbox -> of(sandbox).stream()).toList();
    }

    /** Those of one sandbox, by name. */
    public List<Route> list(String ref) {
        return of(ledger.resolve(ref).id());
    }

    /** That route of a sandbox; {@code route_not_found}. */
    public Route get(String ref, String name) {
        return found(ledger.resolve(ref), name).route();
    }

    /** Removes one; neither its secret nor a link to it lets in any more. */
    public synchronized void remove(String ref, String name) {
        SandboxRecord sandbox = ledger.resolveWhole(ref);
        Kept known = found(sandbox, name);
        rows().remove(sandbox.id(), name, change("route.removed", known.route()));
        kept.getOrDefault(sandbox.id(), new ConcurrentSkipListMap<>()).remove(name);
    }

    /** A link that lets in through a route for so many seconds. It is kept nowhere. */
    public RouteLink link(String ref, String name, long seconds, Entrance entrance) {
        return link(found(ledger.resolveWhole(ref), name).route(), seconds, entrance);
    }

    /** The same to a port, by its host name. */
    public RouteLink link(String ref, int port, long seconds, Entrance entrance) {
        return link(open(ledger.resolveWhole(ref).id(), port), seconds, entrance);
    }

    private RouteLink link(Route route, long seconds, Entrance entrance) {
        Instant end = Links.end(seconds, Instant.now());
        return entrance.link(route, links.sign(route, end), end);
    }

    /** Makes all links through a route worthless that there are. */
    public synchronized void unlink(String ref, String name) {
        Kept known = found(ledger.resolveWhole(ref), name);
        Kept next = new Kept(known.route().generation(KeyedHash.random()), known.row());
        RouteRecord row = known.row().generation(next.route().generation());
        rows().replace(row);
        put(new Kept(next.route(), row));
    }

    /** The same of those to a port itself. */
    public synchronized void unlink(String ref, int port) {
        Route next = Route.ofPort(ledger.resolveWhole(ref).id(), port, KeyedHash.random());
        rows().keep(new PortRecord(next.sandbox(), port, next.generation()));
        generations.put(new Port(next.sandbox(), port), next.generation());
    }

    /** A sandbox is destroyed, and its routes are gone. */
    private synchronized void forget(SandboxId sandbox) {
        kept.remove(sandbox);
        names.remove(sandbox);
        generations.keySet().removeIf(port -> port.sandbox().equals(sandbox));
    }

    private synchronized void renamed(SandboxRecord sandbox) {
        if (kept.containsKey(sandbox.id())) {
            names.put(sandbox.id(), sandbox.name());
        }
    }

    // -- for who lets requests in

    /** The sandbox with exactly that id or name, if it has had routes: no ledger is asked. */
    public Optional<SandboxId> sandbox(String whole) {
        return names.find(whole);
    }

    /** Whether that could be a link, of whatever. */
    public static boolean isLink(String text) {
        return Links.isLink(text);
    }

    /** The route of that name. */
    public Optional<Route> find(SandboxId sandbox, String name) {
        return kept(sandbox, name).map(Kept::route);
    }

    /**
     * What a request by host name may mean: the routes to that port, those first that are for fewer paths, and at the end the port itself, which links alone
     * open.
     */
    public List<Route> at(SandboxId sandbox, int port) {
        List<Route> routes = new ArrayList<>(of(sandbox).stream().filter(route -> route.port() == port).sorted(NARROWEST_FIRST).toList());
        routes.add(open(sandbox, port));
        return List.copyOf(routes);
    }

    /** Whether that is the secret of a route that is still there. */
    public boolean admits(Route route, String secret) {
        return kept(route.sandbox(), route.name())
                .filter(known -> known.route().equals(route))
                .map(known -> secrets.matches(route, known.row().secret(), secret))
                .orElse(false);
    }

    /** Until when a link lets in through a route; nothing if it does not. */
    public Optional<Instant> admitsUntil(Route route, String link) {
        return links.end(route, link, Instant.now());
    }

    private Optional<Kept> kept(SandboxId sandbox, String name) {
        return Optional.ofNullable(kept.get(sandbox)).flatMap(routes -> Optional.ofNullable(routes.get(name)));
    }

    private List<Route> of(SandboxId sandbox) {
        return Optional.ofNullable(kept.get(sandbox)).map(routes -> routes.values().stream().map(Kept::route).toList()).orElse(List.of());
    }

    private Route open(SandboxId sandbox, int port) {
        return Route.ofPort(sandbox, port, generations.getOrDefault(new Port(sandbox, port), FIRST));
    }

    private Kept found(SandboxRecord sandbox, String name) {
        return kept(sandbox.id(), name).orElseThrow(() -> new SandglassException(
                ErrorCode.ROUTE_NOT_FOUND, "The sandbox " + sandbox.name() + " has no route " + name + ".", "`sandglass route ls " + sandbox.name() + "` lists those that it has."));
    }

    private void put(Kept one) {
        kept.computeIfAbsent(one.route().sandbox(), _ -> new ConcurrentSkipListMap<>()).put(one.route().name(), one);
    }

    private RouteLedger rows() {
        return ledger.routes();
    }

    private static Change change(String type, Route route) {
        return new Change(type, Map.of(
                "route", route.name(), "port", Integer.toString(route.port()), "access", route.access() instanceof Access.Public ? "public" : "private"));
    }

    private static CreateRoute withoutSecret(CreateRoute asked) {
        return new CreateRoute(
                asked.name(), asked.port(), asked.access(), asked.auth(), asked.header(), null, asked.methods(), asked.pathPrefix(), asked.rewrite(), asked.cors(), asked.rate(),
                asked.timeout(), asked.resume(), asked.websocket(), asked.forwarded());
    }
}
