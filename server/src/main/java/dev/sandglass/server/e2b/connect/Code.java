package dev.sandglass.server.e2b.connect;

import dev.sandglass.wire.ErrorCode;
import java.util.Locale;

/** What went wrong, in the words of the protocol. */
public enum Code {
    UNKNOWN(500),
    INVALID_ARGUMENT(400),
    DEADLINE_EXCEEDED(504),
    NOT_FOUND(404),
    ALREADY_EXISTS(409),
    PERMISSION_DENIED(403),
    RESOURCE_EXHAUSTED(429),
    UNIMPLEMENTED(501),
    INTERNAL(500),
    UNAVAILABLE(503),
    UNAUTHENTICATED(401);

    private final int httpStatus;

    Code(int httpStatus) {
        this.httpStatus = httpStatus;
    }

    /** Of the answer to a unary call. */
    public int httpStatus() {
        return httpStatus;
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The one that says the nearest to what a code of ours does. */
    public static Code of(ErrorCode code) {
        return switch (code) {
            case DISK_FULL, LIMIT_REACHED, RATE_LIMITED, TOO_LARGE, OUT_OF_MEMORY -> RESOURCE_EXHAUSTED;
            case PERMISSION_DENIED -> PERMISSION_DENIED;
            case PATH_EXISTS -> ALREADY_EXISTS;
            case GUEST_TIMEOUT, SHUTTING_DOWN, SANDBOX_WAKING, SANDBOX_NOT_RUNNING -> UNAVAILABLE;
            case FILE_REFUSED, COMMAND_REFUSED, PROGRAM_NOT_FOUND -> INVALID_ARGUMENT;
            default ->
                switch (code.category()) {
                    case NOT_FOUND -> NOT_FOUND;
                    case USAGE -> INVALID_ARGUMENT;
                    case DENIED -> UNAUTHENTICATED;
                    case CONFLICT, FAILED -> INTERNAL;
                };
        };
    }
}
