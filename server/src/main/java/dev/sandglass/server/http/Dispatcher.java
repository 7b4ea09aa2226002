package dev.sandglass.server.http;

import dev.sandglass.server.metric.Traffic;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.net.UnixDomainSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes a request through the gate and the router to its handler, and sees to it that it ends in one whole answer or none. */
final class Dispatcher extends Handler.Abstract {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    /** Refusals after which nothing more is read from the connection. */
    private static final Set<ErrorCode> CLOSING =
            Set.of(ErrorCode.LIMIT_REACHED, ErrorCode.MALFORMED_REQUEST, ErrorCode.SHUTTING_DOWN);

    private final Router router;
    private final Planes planes;
    private final Gatekeeper gatekeeper;
    private final ConnectionBudget budget;
    private final InFlight inFlight;
    private final SocketUpgrade sockets;
    private final LingeringClose lingering;
    private final HttpSettings settings;
    private final Traffic traffic;
    private final RateLimit rate;

    Dispatcher(Router router, Planes planes, Gatekeeper gatekeeper, ConnectionBudget budget, InFlight inFlight, SocketUpgrade sockets, LingeringClose lingering, Traffic traffic, RateLimit rate, HttpSettings settings) {
        this.router = router;
        this.planes = planes;
        this.gatekeeper = gatekeeper;
        this.budget = budget;
        this.inFlight = inFlight;
        this.sockets = sockets;
        this.lingering = lingering;
        this.settings = settings;
        this.traffic = traffic;
        this.rate = rate;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Transport transport = new Transport(request, response, callback, sockets, lingering, settings);
        Call call = new Call(request, response, transport, inFlight);
        inFlight.begin(transport.departure());
        try {
            budget.check(request.getConnectionMetaData().getConnection().getEndPoint());
            checkFraming(request);
            Optional<Plane> plane = planes.find(call);
            if (plane.isPresent()) {
                serve(plane.get(), call, transport);
            } else {
                serve(request, transport);
            }
        } catch (SandglassException refusal) {
            refuse(transport, refusal, null, CLOSING.contains(refusal.code()));
        } finally {
            inFlight.end(transport.departure());
        }
        return true;
    }

    /** A plane looks itself at who calls. */
    private void serve(Plane plane, Call call, Transport transport) {
        try {
            admit();
            planes.serve(plane, call, transport);
        } catch (SandglassException refusal) {
            planes.refuse(plane, call, transport, refusal);
        }
    }

    private void serve(Request request, Transport transport) {
        boolean local = request.getConnectionMetaData().getLocalSocketAddress() instanceof UnixDomainSocketAddress;
        inFlight.identify(transport.departure(), () -> gatekeeper.check(request, local));
        admit();
        switch (router.find(request.getMethod(), request.getHttpURI().getPath())) {
            case Router.Match.NoRoute() -> refuse(transport, Router.noRoute(), null, false);
            case Router.Match.WrongMethod(var allowed) ->
                refuse(transport, Router.wrongMethod(allowed), String.join(", ", allowed), false);
            case Router.Match.Found(var operation, var handler, var segments) -> {
                long began = System.nanoTime();
                try {
                    serve(request, transport, operation, handler, segments);
                } finally {
                    count(operation, transport, System.nanoTime() - began);
                }
            }
        }
    }

    private void count(Operation operation, Transport transport, long nanos) {
        if (transport.follows()) {
            traffic.followed(operation.id(), transport.status(), nanos);
        } else {
            traffic.served(operation.id(), transport.status(), nanos);
        }
    }

    private static void checkFraming(Request request) {
        if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_0
                && request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING)) {
            throw new SandglassException(
                    ErrorCode.MALFORMED_REQUEST, "HTTP/1.0 has no Transfer-Encoding.", "Use HTTP/1.1, or a Content-Length.");
        }
    }

    private void admit() {
        rate.check();
        if (inFlight.stopping()) {
            throw Departure.shuttingDown();
        }
    }

    private void serve(
            Request request,
            Transport transport,
            Operation operation,
            dev.sandglass.server.http.Handler handler,
            Map<String, String> segments) {
        try {
            operation.segments().forEach((name, schema) -> schema.check(name, segments.get(name)));
            Query query = Query.parse(request.getHttpURI().getQuery(), operation);
            MediaTypes.check(request.getHeaders(), operation);
            handler.handle(new Exchange(operation, segments, query, transport));
            transport.finish();
        } catch (Throwable failure) {
            fail(transport, operation, failure);
        }
    }

    private void fail(Transport transport, Operation operation, Throwable failure) {
        String broken = transport.body().failure();
        if (transport.upgraded()) {
            LOG.error("{} failed after its upgrade", operation.id(), failure);
        } else if (transport.committed()) {
            LOG.info("{} broke off: {}", operation.id(), Schema.shown(failure));
            transport.abort(failure);
        } else if (failure instanceof InterruptedException || transport.departure().happened()) {
            refuse(transport, transport.departure().refusal(), null, true);
        } else if (broken != null) {
            SandglassException malformed = new SandglassException(
                    ErrorCode.MALFORMED_REQUEST, "The body could not be read: " + broken + ".", "Send the whole body.", failure);
            refuse(transport, malformed, null, true);
        } else if (failure instanceof SandglassException refusal) {
            refuse(transport, refusal, null, false);
        } else {
            refuse(transport, Problems.unforeseen(operation.id(), failure), null, false);
        }
    }

    private void refuse(Transport transport, SandglassException problem, @Nullable String allow, boolean close) {
        traffic.problem(problem.code());
        transport.answerProblem(problem, allow, close);
    }
}
