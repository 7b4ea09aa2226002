package dev.sandglass.cli.attach;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/**
 * How long to wait for a daemon that went away: half a minute from the break, with growing pauses; longer where somebody is
 * told of it and can leave.
 */
final class Patience {
    private static final long LIMIT_NANOS = 30_000_000_000L;
    private static final long INTERACTIVE_LIMIT_NANOS = 20 * LIMIT_NANOS;
    private static final long LONGEST_PAUSE = 1_000;

    private long since;
    private long pause;
    private boolean used;
    private boolean waiting;
    private long limit = LIMIT_NANOS;
    private Runnable broken = () -> {};
    private Runnable again = () -> {};

    /** Whether the connection broke at least once. */
    boolean used() {
        return used;
    }

    void interactive(Runnable whenBroken, Runnable whenAgain) {
        broken = whenBroken;
        again = whenAgain;
        limit = INTERACTIVE_LIMIT_NANOS;
    }

    void connected() {
        if (waiting) {
            waiting = false;
            again.run();
        }
    }

    void renew() {
        pause = 0;
    }

    /** Pauses before the next try; throws when the time is over. */
    void spend(Exception cause) {
        used = true;
        if (pause == 0) {
            since = System.nanoTime();
            pause = 20;
            waiting = true;
            broken.run();
        } else if (System.nanoTime() - since > limit) {
            throw lost("The connection to the daemon broke and could not be made again: " + cause.getMessage(), cause);
        }
        try {
            Thread.sleep(pause);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw lost("Interrupted while waiting for the daemon", stopped);
        }
        pause = Math.min(LONGEST_PAUSE, pause * 2);
    }

    private static SandglassException lost(String message, Exception cause) {
        return new SandglassException(
                ErrorCode.DAEMON_UNREACHABLE, message, "The command may still run: start the daemon with `sandglass up`.", cause);
    }
}
