package dev.sandglass.cli;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/** How long a verb that follows something waits for a daemon that is being started anew. Not thread-safe. */
final class Comeback {
    private static final int TRIES = 60;
    private static final long PAUSE_MILLIS = 500;

    private int tries;

    /** It is there again. */
    void seen() {
        tries = 0;
    }

    /** Pauses before the next try; what is no restart, or takes too long, is thrown. */
    void await(SandglassException problem) {
        boolean restarting = problem.code() == ErrorCode.DAEMON_UNREACHABLE || problem.code() == ErrorCode.SHUTTING_DOWN;
        if (!restarting || ++tries >= TRIES) {
            throw problem;
        }
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw problem;
        }
    }
}
