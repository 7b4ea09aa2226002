package dev.sandglass.server.route;

import dev.sandglass.engine.route.Route;
import dev.sandglass.server.http.ConnectionBudget;
import dev.sandglass.server.http.LingeringClose;
import dev.sandglass.server.metric.Traffic;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes a request from its address over the guard to its sandbox; nothing is done for one that was not let in. */
final class Reception extends Handler.Abstract {
    private static final Logger LOG = LoggerFactory.getLogger(Reception.class);

    private final Hosts hosts;
    private final String scheme;
    private final Directory directory;
    private final Guard guard;
    private final Rates rates;
    private final Forwarding forwarding;
    private final ConnectionBudget budget;
    private final Arrivals arrivals;
    private final Shares shares;
    private final LingeringClose lingering;
    private final Traffic traffic;

    Reception(RouteSettings settings, Directory directory, Guard guard, Forwarding forwarding, ConnectionBudget budget, Arrivals arrivals, Shares shares, LingeringClose lingering, Traffic traffic) {
        this.hosts = new Hosts(settings);
        this.scheme = settings.scheme();
        this.directory = directory;
        this.guard = guard;
        this.rates = new Rates(System::nanoTime);
        this.forwarding = forwarding;
        this.budget = budget;
        this.arrivals = arrivals;
        this.shares = shares;
        this.lingering = lingering;
        this.traffic = traffic;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Visit visit = new Visit(request, response, callback, lingering);
        visit.atEnd(() -> arrivals.await(visit.end()));
        try {
            serve(visit);
        } catch (SandglassException refusal) {
            refuse(visit, refusal);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            refuse(visit, new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again in a moment.", stopped));
        } catch (RuntimeException | Error failure) {
            LOG.error("a request to {} failed", request.getHttpURI().getAuthority(), failure);
            refuse(visit, new SandglassException(ErrorCode.INTERNAL, "Something failed inside the daemon.", "Look into the daemon's log.", failure));
        } finally {
            traffic.routed(response.getStatus());
        }
        return true;
    }

    private static void refuse(Visit visit, SandglassException problem) {
        if (visit.response().isCommitted()) {
            visit.abort(problem);
        } else {
            visit.refuse(problem);
        }
    }

    private void serve(Visit visit) throws InterruptedException {
        Request request = visit.request();
        budget.check(visit.end());
        if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_0 && request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING)) {
            throw new SandglassException(ErrorCode.MALFORMED_REQUEST, "HTTP/1.0 has no Transfer-Encoding.", "Use HTTP/1.1, or a Content-Length.");
        }
        if (request.getMethod().equals("CONNECT")) {
            throw new SandglassException(ErrorCode.MALFORMED_REQUEST, "There are no tunnels here.", "Use another method.");
        }
        Destination destination = hosts.of(request.getHttpURI());
        Directory.Found found = directory.find(destination, guard.mayKnowMore(request));
        Optional<Map<String, String>> preflight = CrossOrigin.preflight(request, found.routes());
        if (preflight.isPresent()) {
            visit.answer(HttpStatus.NO_CONTENT_204, preflight.get());
            return;
        }
        Pass pass = admit(visit, found);
        Route route = pass.route();
        visit.always(CrossOrigin.told(request, route));
        pass.link().ifPresent(link -> visit.always(Map.of("Set-Cookie", Cookies.keeping(link, pass.place(), scheme))));
        if (isRedirected(destination, visit, pass)) {
            return;
        }
        if (!route.allows(request.getMethod())) {
            visit.always(Map.of("Allow", route.methods().stream().sorted().collect(Collectors.joining(", "))));
            throw new SandglassException(ErrorCode.METHOD_NOT_ALLOWED, "This route takes no requests with this method.", "The Allow header has those that it takes.");
        }
        if (Forwarding.wantsSocket(request) && !route.webSocket()) {
            throw new SandglassException(ErrorCode.METHOD_NOT_ALLOWED, "This route takes no WebSockets.", "Make one that does.");
        }
        rates.check(route);
        Runnable leave = shares.take(route.sandbox());
        visit.atEnd(leave);
        arrivals.letIn(visit.end());
        forwarding.forward(visit, pass, leave);
    }

    private Pass admit(Visit visit, Directory.Found found) {
        try {
            return forwarding.choose(visit.request(), guard.admit(visit.request(), found));
        } catch (SandglassException refusal) {
            visit.always(CrossOrigin.told(visit.request(), found.routes()));
            throw refusal;
        }
    }

    /** A browser gets an address without the link, which would be seen by others there; and one that ends where relative addresses begin. */
    private static boolean isRedirected(Destination destination, Visit visit, Pass pass) {
        Request request = visit.request();
        boolean plain = (request.getMethod().equals("GET") || request.getMethod().equals("HEAD")) && !Forwarding.wantsSocket(request);
        boolean linked = pass.link().isPresent() && ErrorPage.isForPeople(request);
        boolean bare = destination instanceof Destination.Named(_, _, String path) && path.isEmpty();
        if (!plain || (!linked && !bare)) {
            return false;
        }
        String query = RequestHead.query(request.getHttpURI().getQuery()).map(text -> "?" + text).orElse("");
        String path = request.getHttpURI().getPath() + (bare ? "/" : "");
        Map<String, String> headers = new HashMap<>();
        headers.put("Location", (path.startsWith("//") ? "/." : "") + path + query); // two slashes would begin another host
        headers.put("Referrer-Policy", "no-referrer");
        visit.answer(linked ? HttpStatus.SEE_OTHER_303 : HttpStatus.PERMANENT_REDIRECT_308, headers);
        return true;
    }
}
