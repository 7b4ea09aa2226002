package dev.sandglass.server.route;

import dev.sandglass.server.http.LingeringClose;
import dev.sandglass.server.metric.Traffic;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Problem;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers what Jetty itself refuses: broken, oversized and unsupported requests, all with 400. The connection ends with it. */
final class BrokenRequests implements Request.Handler {
    private final LingeringClose lingering;
    private final Traffic traffic;

    BrokenRequests(LingeringClose lingering, Traffic traffic) {
        this.lingering = lingering;
        this.traffic = traffic;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        boolean broken = request.getAttribute(ErrorHandler.ERROR_EXCEPTION) instanceof HttpException || response.getStatus() < HttpStatus.INTERNAL_SERVER_ERROR_500;
        int status = broken ? HttpStatus.BAD_REQUEST_400 : HttpStatus.INTERNAL_SERVER_ERROR_500;
        traffic.routed(status);
        Problem problem = broken
                ? new Problem(ErrorCode.MALFORMED_REQUEST.text(), "This is no HTTP/1.1 request that is taken here.", "Use an HTTP client, and heads of at most " + RouteDoor.MAX_HEAD_BYTES + " bytes.")
                : new Problem(ErrorCode.INTERNAL.text(), "The daemon could not answer.", "Look into the daemon's log.");
        ErrorPage.head(request, response, status);
        response.write(true, ErrorPage.content(request, status, problem), lingering.afterLast(request, response, callback));
        return true;
    }
}
