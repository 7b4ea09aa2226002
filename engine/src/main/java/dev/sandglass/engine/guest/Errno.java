package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/** What the errno of a refused request means to a user. */
final class Errno {
    private static final int EPERM = 1;
    private static final int ENOENT = 2;
    private static final int EAGAIN = 11;
    private static final int ENOMEM = 12;
    private static final int EACCES = 13;
    private static final int EEXIST = 17;
    private static final int ENOTDIR = 20;
    private static final int EISDIR = 21;
    private static final int EINVAL = 22;
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;
    private static final int ENOSPC = 28;
    private static final int EROFS = 30;
    private static final int ENAMETOOLONG = 36;
    private static final int ENOTEMPTY = 39;
    private static final int EBADMSG = 74;
    private static final int ESHUTDOWN = 108;
    private static final int EDQUOT = 122;

    private Errno() {}

    static SandglassException commandRefused(GuestEvent.Refused refusal) {
        String message = "The sandbox refused to run it: " + refusal.text();
        boolean missing = refusal.errno() == ENOENT || refusal.errno() == ENOTDIR;
        return switch (refusal.refusal()) {
            case PROGRAM ->
                missing
                        ? new SandglassException(
                                ErrorCode.PROGRAM_NOT_FOUND, message, "Check its name and PATH in the sandbox; an absolute path always works.")
                        : new SandglassException(ErrorCode.COMMAND_REFUSED, message, "Check that the program may be executed by that user.");
            case DIRECTORY ->
                new SandglassException(
                        ErrorCode.COMMAND_REFUSED, message, "Check that the working directory exists and may be entered by that user.");
            case USER -> new SandglassException(ErrorCode.INVALID_REQUEST, message, "Check the user; /etc/passwd of the sandbox lists them.");
            case PROCESSES ->
                new SandglassException(
                        ErrorCode.LIMIT_REACHED, message, "End something in the sandbox, or raise it with `sandglass update --processes`.");
            case REQUEST ->
                switch (refusal.errno()) {
                    case EAGAIN, ENOMEM, EMFILE, ENFILE -> limitReached(message);
                    case EINVAL -> new SandglassException(ErrorCode.INVALID_REQUEST, message, "Check the arguments.");
                    case ESHUTDOWN -> leaving(message);
                    default -> new SandglassException(ErrorCode.COMMAND_REFUSED, message, "See the message for the reason.");
                };
        };
    }

    /** It is being stopped or paused: the agent takes nothing new. */
    private static UnsentException leaving(String message) {
        return new UnsentException(new SandglassException(ErrorCode.SANDBOX_NOT_RUNNING, message, "See `sandglass inspect`; `sandglass start` or `resume` it."));
    }

    static SandglassException fileRefused(int errno, String text) {
        return switch (errno) {
            case ESHUTDOWN -> leaving(text);
            case ENOENT -> new SandglassException(ErrorCode.PATH_NOT_FOUND, text, "Check the path; `ls` shows what is there.");
            case EEXIST -> new SandglassException(ErrorCode.PATH_EXISTS, text, "Remove it first, or choose another path.");
            case ENOTEMPTY -> new SandglassException(ErrorCode.PATH_EXISTS, text, "Remove it with all below by -r (in the API `recursive`).");
            case EPERM, EACCES, EROFS -> new SandglassException(ErrorCode.PERMISSION_DENIED, text, "Use another user or path.");
            case ENOSPC, EDQUOT ->
                new SandglassException(ErrorCode.DISK_FULL, text, "Remove files, or give the sandbox more with `sandglass update --disk`.");
            case EAGAIN, ENOMEM, EMFILE, ENFILE -> limitReached(text);
            case EBADMSG -> new SandglassException(ErrorCode.ARCHIVE_REFUSED, text, "The archive is damaged or would write outside of its directory.");
            case EINVAL, ENAMETOOLONG, ENOTDIR, EISDIR ->
                new SandglassException(ErrorCode.FILE_REFUSED, text, "Check what kind of file the path names.");
            default -> new SandglassException(ErrorCode.FILE_REFUSED, text, "See the message for the reason.");
        };
    }

    static SandglassException serviceRefused(int errno, String text) {
        return switch (errno) {
            case ESHUTDOWN -> leaving(text);
            case ENOENT -> new SandglassException(ErrorCode.SERVICE_NOT_FOUND, text, "`sandglass service ls` shows those that there are.");
            case EAGAIN, ENOMEM, EMFILE, ENFILE -> limitReached(text);
            default -> new SandglassException(ErrorCode.SERVICE_REFUSED, text, "`sandglass service inspect` and `service logs` tell more.");
        };
    }

    private static SandglassException limitReached(String text) {
        return new SandglassException(
                ErrorCode.LIMIT_REACHED,
                text,
                "The sandbox is at its limit of processes, memory or open streams: end something in it, or raise its limits with `sandglass update`.");
    }
}
