package dev.sandglass.server.e2b.envd;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import io.avaje.jsonb.Json;
import org.jspecify.annotations.Nullable;

/** An answer that says no, in the words of these clients. */
final class HttpRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Of the inside of a sandbox. */
    @Json
    record Body(int code, String message) {}

    /** Of who stands before a sandbox. */
    @Json
    record GatewayBody(String sandboxId, String message, @Nullable Integer port, int code) {}

    static final int BAD_GATEWAY = 502;
    private static final int FORBIDDEN = 403;

    private final int status;
    private final transient Object body;

    private HttpRefusal(int status, String message, Object body) {
        super(message);
        this.status = status;
        this.body = body;
    }

    static HttpRefusal of(int status, String message) {
        return new HttpRefusal(status, message, new Body(status, message));
    }

    /** Clients take it for a sandbox that was killed, or whose time was over. */
    static HttpRefusal notFound(String sandbox) {
        String message = "The sandbox was not found";
        return new HttpRefusal(BAD_GATEWAY, message, new GatewayBody(sandbox, message, null, BAD_GATEWAY));
    }

    static HttpRefusal portClosed(String sandbox, int port) {
        String message = "The sandbox is running but port is not open";
        return new HttpRefusal(BAD_GATEWAY, message, new GatewayBody(sandbox, message, port, BAD_GATEWAY));
    }

    static HttpRefusal forbidden(String sandbox, String message) {
        return new HttpRefusal(FORBIDDEN, message, new GatewayBody(sandbox, message, null, FORBIDDEN));
    }

    /** The answer to what went wrong with a file. */
    static HttpRefusal of(SandglassException problem) {
        int status = switch (problem.code()) {
            case DISK_FULL -> 507;
            case PATH_NOT_FOUND -> 404;
            case FILE_REFUSED, MALFORMED_REQUEST, INVALID_REQUEST -> 400;
            default -> problem.code().httpStatus();
        };
        return of(status, problem.what());
    }

    /** Whether nobody is left who could be asked. */
    static boolean isGone(SandglassException problem) {
        return problem.code() == ErrorCode.SANDBOX_NOT_FOUND || problem.code() == ErrorCode.SANDBOX_NOT_RUNNING;
    }

    int status() {
        return status;
    }

    Object body() {
        return body;
    }
}
