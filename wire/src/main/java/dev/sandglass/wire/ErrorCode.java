package dev.sandglass.wire;

import java.util.Locale;

/** The stable codes of errors: API answers carry the lower-case name, the CLI turns the category into an exit code. */
public enum ErrorCode {
    INVALID_REQUEST(Category.USAGE, 400),
    MALFORMED_REQUEST(Category.USAGE, 400),
    UNAUTHORIZED(Category.DENIED, 401),
    FORBIDDEN_HOST(Category.DENIED, 403),
    FORBIDDEN_ORIGIN(Category.DENIED, 403),
    /** What was asked with a key is for the owner of the daemon, who has its token. */
    OWNER_ONLY(Category.DENIED, 403),
    /** A registry does not give an image to whoever asks for it. */
    REGISTRY_DENIED(Category.DENIED, 403),
    SANDBOX_NOT_FOUND(Category.NOT_FOUND, 404),
    SNAPSHOT_NOT_FOUND(Category.NOT_FOUND, 404),
    COMMAND_NOT_FOUND(Category.NOT_FOUND, 404),
    PATH_NOT_FOUND(Category.NOT_FOUND, 404),
    OPERATION_NOT_FOUND(Category.NOT_FOUND, 404),
    CREDENTIAL_NOT_FOUND(Category.NOT_FOUND, 404),
    SERVICE_NOT_FOUND(Category.NOT_FOUND, 404),
    ROUTE_NOT_FOUND(Category.NOT_FOUND, 404),
    VOLUME_NOT_FOUND(Category.NOT_FOUND, 404),
    IMAGE_NOT_FOUND(Category.NOT_FOUND, 404),
    COMPONENT_NOT_FOUND(Category.NOT_FOUND, 404),
    TEMPLATE_NOT_FOUND(Category.NOT_FOUND, 404),
    BUILD_NOT_FOUND(Category.NOT_FOUND, 404),
    POOL_NOT_FOUND(Category.NOT_FOUND, 404),
    KEY_NOT_FOUND(Category.NOT_FOUND, 404),
    METHOD_NOT_ALLOWED(Category.USAGE, 405),
    /** What is asked for contradicts the sandbox's present state or what it uses. */
    CONFLICT(Category.CONFLICT, 409),
    NAME_TAKEN(Category.CONFLICT, 409),
    /** Another daemon uses the directory. */
    DATA_IN_USE(Category.CONFLICT, 409),
    AMBIGUOUS_PREFIX(Category.CONFLICT, 409),
    SANDBOX_NOT_RUNNING(Category.CONFLICT, 409),
    PATH_EXISTS(Category.CONFLICT, 409),
    /** What is asked of a command needs one that runs. */
    COMMAND_ENDED(Category.CONFLICT, 409),
    STDIN_CLOSED(Category.CONFLICT, 409),
    /** A process holds something that cannot be captured with its memory. */
    SNAPSHOT_BLOCKED(Category.CONFLICT, 409),
    TOO_LARGE(Category.USAGE, 413),
    UNSUPPORTED_MEDIA_TYPE(Category.USAGE, 415),
    /** An Idempotency-Key came with another request than before. */
    IDEMPOTENCY_KEY_REUSED(Category.CONFLICT, 422),
    /** The kernel inside the sandbox refused a file operation for a reason without a code of its own. */
    FILE_REFUSED(Category.FAILED, 422),
    /** The program of a command cannot run. */
    COMMAND_REFUSED(Category.FAILED, 422),
    /** A command that had to end with 0 did not: only clients say so. */
    COMMAND_FAILED(Category.FAILED, 422),
    /** The program of a command is missing. */
    PROGRAM_NOT_FOUND(Category.FAILED, 422),
    /** The agent does not do with a service what was asked for. */
    SERVICE_REFUSED(Category.FAILED, 422),
    ARCHIVE_REFUSED(Category.FAILED, 422),
    /** An image is not what its digests say, or has what no image may have. */
    IMAGE_REFUSED(Category.FAILED, 422),
    /** A file of a snapshot is not what its manifest says. */
    SNAPSHOT_DAMAGED(Category.FAILED, 422),
    PERMISSION_DENIED(Category.FAILED, 422),
    /** A step of a build ended with an error. */
    BUILD_FAILED(Category.FAILED, 422),
    /** A step of a build, or all of it, took longer than it may. */
    BUILD_TIMEOUT(Category.FAILED, 422),
    /** What ran in a sandbox reached its memory limit. */
    OUT_OF_MEMORY(Category.FAILED, 422),
    /** A limit was reached: of a sandbox (processes, descriptors, open streams) or of the daemon (connections). */
    LIMIT_REACHED(Category.FAILED, 429),
    /** More requests in a second than the daemon takes. */
    RATE_LIMITED(Category.FAILED, 429),
    INTERNAL(Category.FAILED, 500),
    RUNTIME_FAILED(Category.FAILED, 500),
    /** Nothing listens on the port inside the sandbox. */
    PORT_REFUSED(Category.FAILED, 502),
    /** What a program in a sandbox answered is no HTTP, or broke off. */
    BAD_ANSWER(Category.FAILED, 502),
    GUEST_PROTOCOL(Category.FAILED, 502),
    /** A registry cannot be reached, hangs, or answers what none does. */
    REGISTRY_FAILED(Category.FAILED, 502),
    RUNTIME_UNAVAILABLE(Category.FAILED, 503),
    /** A request waits for a sandbox to wake up, and that takes too long. */
    SANDBOX_WAKING(Category.FAILED, 503),
    IMAGE_UNAVAILABLE(Category.FAILED, 503),
    /** What is asked for begins with a template that is being built. */
    TEMPLATE_BUILDING(Category.FAILED, 503),
    LEDGER_FAILED(Category.FAILED, 503),
    /** The disk of the data directory cannot be read or written. */
    STORAGE_FAILED(Category.FAILED, 503),
    SHUTTING_DOWN(Category.FAILED, 503),
    /** The daemon ended while an operation was at work, and what it had begun was undone. */
    OPERATION_INTERRUPTED(Category.FAILED, 503),
    DAEMON_UNREACHABLE(Category.FAILED, 503),
    GUEST_TIMEOUT(Category.FAILED, 504),
    DISK_FULL(Category.FAILED, 507),
    /** Snapshots have as much room as they may. */
    SNAPSHOT_QUOTA_REACHED(Category.FAILED, 507);

    /** What kind of trouble it is, as far as a caller acts on it. */
    public enum Category {
        USAGE,
        DENIED,
        NOT_FOUND,
        CONFLICT,
        FAILED
    }

    private final Category category;
    private final int httpStatus;

    ErrorCode(Category category, int httpStatus) {
        this.category = category;
        this.httpStatus = httpStatus;
    }

    public Category category() {
        return category;
    }

    public int httpStatus() {
        return httpStatus;
    }

    /** The code as it stands in JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The code with that text, or {@code INTERNAL} for one that a newer peer may have sent. */
    public static ErrorCode of(String text) {
        for (ErrorCode code : values()) {
            if (code.text().equals(text)) {
                return code;
            }
        }
        return INTERNAL;
    }
}
