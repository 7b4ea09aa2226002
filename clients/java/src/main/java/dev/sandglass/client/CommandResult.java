package dev.sandglass.client;

import dev.sandglass.wire.Exit;
import org.jspecify.annotations.Nullable;

/**
 * How a command ended, and what it printed.
 *
 * @param exitCode as a shell has it: 128 + n for signal n; 124 when its time was over
 * @param reason {@code timeout}, {@code oom} or {@code rewound}; null if it ended by itself
 * @param message more about the reason, for people
 * @param truncated whether it printed more than is here
 */
public record CommandResult(String stdout, String stderr, int exitCode, @Nullable String reason, @Nullable String message, boolean truncated) {
    private static final int TIMED_OUT = 124;

    static CommandResult of(Exit exit, String stdout, String stderr, boolean truncated) {
        return new CommandResult(stdout, stderr, code(exit), exit.reason(), exit.message(), truncated);
    }

    static int code(Exit exit) {
        return "timeout".equals(exit.reason()) ? TIMED_OUT : exit.code();
    }

    CommandResult checked(boolean check) {
        if (check && exitCode != 0) {
            throw new CommandFailedException(this);
        }
        return this;
    }
}
