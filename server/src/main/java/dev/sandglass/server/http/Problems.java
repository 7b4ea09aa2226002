package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes errors as {@code Problem} JSON, those of the HTTP parser too. */
public final class Problems implements Request.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(Problems.class);
    private static final Set<Integer> TOO_LARGE = Set.of(
            HttpStatus.PAYLOAD_TOO_LARGE_413, HttpStatus.URI_TOO_LONG_414, HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431);

    private final LingeringClose lingering;

    Problems(LingeringClose lingering) {
        this.lingering = lingering;
    }

    /** An error that nobody foresaw: the log has it in full, the client gets a reference to it. */
    public static SandglassException unforeseen(String where, Throwable failure) {
        String reference = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
        LOG.error("{} failed, reference {}", where, reference, failure);
        return new SandglassException(
                ErrorCode.INTERNAL,
                "Something failed inside the daemon, reference " + reference + ".",
                "Look for the reference in the daemon's log, and report it.");
    }

    static void head(Response response, int status, String mediaType) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, mediaType);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
    }

    /** What Jetty itself refuses comes here: broken, oversized and unsupported messages. */
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        int status = response.getStatus();
        String reason = HttpStatus.getMessage(status);
        if (request.getAttribute(ErrorHandler.ERROR_EXCEPTION) instanceof HttpException refusal) {
            status = refusal.getCode();
            reason = refusal.getReason() == null ? HttpStatus.getMessage(status) : refusal.getReason();
        } else if (request.getAttribute(ErrorHandler.ERROR_EXCEPTION) instanceof Throwable failure) {
            LOG.debug("the transport failed", failure);
        }
        head(response, status, "application/json");
        Callback written = lingering.afterLast(request, response, callback);
        response.write(true, ByteBuffer.wrap(Json.bytes(problem(status, reason))), written);
        return true;
    }

    private static Problem problem(int status, String reason) {
        if (TOO_LARGE.contains(status)) {
            return new Problem(
                    ErrorCode.TOO_LARGE.text(),
                    "The request's head is too large: " + Schema.shown(reason) + ".",
                    "Send at most " + Listeners.MAX_HEAD_BYTES + " bytes of request line and headers.");
        }
        if (status < 500 || status == HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505) {
            return new Problem(
                    ErrorCode.MALFORMED_REQUEST.text(),
                    "This is no HTTP/1.1 request that the daemon takes: " + Schema.shown(reason) + ".",
                    "Use an HTTP client; see /openapi.json for the operations.");
        }
        return new Problem(ErrorCode.INTERNAL.text(), "The daemon could not answer.", "Look into the daemon's log.");
    }
}
