package dev.sandglass.client;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/** A command that had to end with 0 did not. */
public final class CommandFailedException extends SandglassException {
    private static final long serialVersionUID = 1L;

    private final transient CommandResult result;

    CommandFailedException(CommandResult result) {
        super(
                ErrorCode.COMMAND_FAILED,
                "The command ended with " + result.exitCode() + (result.stderr().isBlank() ? "" : ": " + lastLine(result.stderr())),
                "Look at the result for what it printed, or run it without `check`.");
        this.result = result;
    }

    /** How it ended, and what it printed until then. */
    public CommandResult result() {
        return result;
    }

    private static String lastLine(String text) {
        String stripped = text.stripTrailing();
        return stripped.substring(stripped.lastIndexOf('\n') + 1);
    }
}
