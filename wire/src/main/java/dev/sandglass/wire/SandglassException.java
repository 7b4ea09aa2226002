package dev.sandglass.wire;

import org.jspecify.annotations.Nullable;

/** The one exception of Sandglass: a stable code, a message that says what happened, a hint that says what to do. */
public class SandglassException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final String hint;

    public SandglassException(ErrorCode code, String message, String hint) {
        this(code, message, hint, null);
    }

    public SandglassException(ErrorCode code, String message, String hint, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.hint = hint;
    }

    public ErrorCode code() {
        return code;
    }

    public String hint() {
        return hint;
    }

    /** The message, never null here. */
    public String what() {
        return String.valueOf(getMessage());
    }

    public Problem toProblem() {
        return new Problem(code.text(), what(), hint);
    }

    public static SandglassException from(Problem problem) {
        return new SandglassException(ErrorCode.of(problem.code()), problem.message(), problem.hint());
    }
}
