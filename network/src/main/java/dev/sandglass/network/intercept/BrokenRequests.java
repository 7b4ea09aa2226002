package dev.sandglass.network.intercept;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers requests that are broken, too large or smuggled, with 400; the connection ends with it. */
public final class BrokenRequests implements Request.Handler {
    /** What they are answered with. */
    public static final int STATUS = HttpStatus.BAD_REQUEST_400;

    private static final String HINT = "Send requests that can be read in one way only, with heads of at most " + Interception.HEAD / 1024 + " KiB.";
    /** Of what the HTTP server says is wrong; it may quote the request. */
    private static final int LONGEST = 200;

    private static final Pattern UNUSUAL = Pattern.compile("[^ -~]");

    BrokenRequests() {}

    /** The whole answer to the first request of a connection, which was looked at before there is an HTTP server for it. */
    public static ByteBuffer answer(String why) {
        byte[] body = problem(why).getBytes(StandardCharsets.UTF_8);
        String head = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: " + body.length + "\r\nConnection: close\r\n\r\n";
        return ByteBuffer.allocate(head.length() + body.length).put(head.getBytes(StandardCharsets.US_ASCII)).put(body).flip();
    }

    /** What the HTTP server itself refuses. */
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        boolean isBroken = request.getAttribute(ErrorHandler.ERROR_EXCEPTION) instanceof HttpException || response.getStatus() < HttpStatus.INTERNAL_SERVER_ERROR_500;
        response.setStatus(isBroken ? STATUS : HttpStatus.INTERNAL_SERVER_ERROR_500);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json").put(HttpHeader.CONNECTION, "close");
        String why = why(request);
        if (isBroken && !Forwarding.isTold(request)) { // the path, if there is one, was not read to its end or not at all
            Hearing.conversation(request).refused(Optional.empty(), response.getStatus(), "malformed: " + why);
        }
        String problem = isBroken
                ? problem(why)
                : Json.write(new Problem(ErrorCode.INTERNAL.text(), "The gateway could not answer.", "Look into the daemon's log."));
        response.write(true, ByteBuffer.wrap(problem.getBytes(StandardCharsets.UTF_8)), callback);
        return true;
    }

    private static String why(Request request) {
        String said = UNUSUAL.matcher(String.valueOf(request.getAttribute(ErrorHandler.ERROR_MESSAGE))).replaceAll("?");
        return said.substring(0, Math.min(LONGEST, said.length()));
    }

    private static String problem(String why) {
        return Json.write(new Problem(ErrorCode.MALFORMED_REQUEST.text(), "The gateway does not pass on what servers could read in different ways: " + why, HINT));
    }
}
