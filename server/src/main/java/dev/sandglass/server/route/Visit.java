package dev.sandglass.server.route;

import dev.sandglass.server.http.LingeringClose;
import dev.sandglass.server.http.Resets;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** One request from outside, and how it is answered when no sandbox does. Used by the handler's thread alone. */
final class Visit {
    /** Refusals that a moment later may not be, and how many seconds that is. */
    private static final Map<ErrorCode, String> PASSING = Map.of(
            ErrorCode.RATE_LIMITED, "1", ErrorCode.LIMIT_REACHED, "1", ErrorCode.SHUTTING_DOWN, "5", ErrorCode.SANDBOX_WAKING, "5", ErrorCode.SANDBOX_NOT_RUNNING, "5");
    private static final Set<ErrorCode> CLOSING = Set.of(ErrorCode.LIMIT_REACHED, ErrorCode.MALFORMED_REQUEST, ErrorCode.FORBIDDEN_HOST, ErrorCode.SHUTTING_DOWN);

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final LingeringClose lingering;
    private final EndPoint end;
    private final Map<String, String> always = new HashMap<>();
    private volatile boolean spoiled;

    Visit(Request request, Response response, Callback callback, LingeringClose lingering) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.lingering = lingering;
        this.end = request.getConnectionMetaData().getConnection().getEndPoint();
        // A sandbox that works for long is no idle connection; reads and writes that stand still do time out.
        request.addIdleTimeoutListener(timeout -> false);
    }

    Request request() {
        return request;
    }

    Response response() {
        return response;
    }

    Callback callback() {
        return callback;
    }

    EndPoint end() {
        return end;
    }

    LingeringClose lingering() {
        return lingering;
    }

    /** What is done when the answer is through, before the next request over this connection is looked at; not if the connection becomes something else. */
    void atEnd(Runnable then) {
        request.addHttpStreamWrapper(stream -> new HttpStream.Wrapper(stream) {
            @Override
            public void succeeded() {
                if (request.getAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE) == null) {
                    then.run();
                }
                super.succeeded();
            }

            @Override
            public void failed(Throwable why) {
                then.run();
                super.failed(why);
            }
        });
    }

    /** Something that the client sent is lost: whatever is answered is the last over its connection. */
    void spoil() {
        spoiled = true;
    }

    boolean isSpoiled() {
        return spoiled;
    }

    /** Headers that every answer has, ours or the sandbox's. */
    void always(Map<String, String> headers) {
        always.putAll(headers);
    }

    void addThose() {
        always.forEach((name, value) -> {
            if (name.equals("Vary")) {
                response.getHeaders().add(name, value); // beside what the sandbox says
            } else {
                response.getHeaders().put(name, value);
            }
        });
    }

    /** Sends a client elsewhere, or tells it that all is well. */
    void answer(int status, Map<String, String> headers) {
        response.setStatus(status);
        addThose();
        headers.forEach((name, value) -> response.getHeaders().put(name, value));
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.write(true, ByteBuffer.allocate(0), lingering.after(request, response, callback));
    }

    /** Answers a problem as a page for people, or as JSON. */
    void refuse(SandglassException problem) {
        response.reset();
        addThose();
        ErrorPage.head(request, response, status(problem.code()));
        String wait = PASSING.get(problem.code());
        if (wait != null) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, wait);
        }
        if (problem.code() == ErrorCode.UNAUTHORIZED) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
        }
        ByteBuffer content = ErrorPage.content(request, status(problem.code()), problem.toProblem());
        Callback written = spoiled || CLOSING.contains(problem.code()) ? lingering.afterLast(request, response, callback) : lingering.after(request, response, callback);
        boolean tunnel = request.getMethod().equals("CONNECT"); // whose answer Jetty lets nobody end by a header
        response.write(true, content, tunnel ? Callback.from(written, () -> end.close()) : written);
    }

    /** Where the code of the API is about the caller, that of a gateway is about what is behind it. */
    private static int status(ErrorCode code) {
        return code == ErrorCode.SANDBOX_NOT_RUNNING ? HttpStatus.SERVICE_UNAVAILABLE_503 : code.httpStatus();
    }

    /** Breaks the connection, so that what was sent is not taken for the whole. */
    void abort(Throwable why) {
        Resets.onClose(end);
        callback.failed(why);
        end.close(why);
    }
}
