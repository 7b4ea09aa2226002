package dev.sandglass.pool;

import dev.sandglass.linux.ErrnoException;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;

/** Turns trouble with files into errors that a user can act on. */
final class PoolFailure {
    private static final int ENOSPC = 28;
    private static final int EDQUOT = 122;

    private PoolFailure() {}

    static SandglassException of(String what, IOException cause) {
        String message = what + ": " + cause.getMessage();
        if (isFull(cause)) {
            return new SandglassException(
                    ErrorCode.DISK_FULL, message, "Remove sandboxes that are not needed, or make room on the disk.", cause);
        }
        return new SandglassException(
                ErrorCode.INTERNAL, message, "Run `sandglass doctor` and look at the disk of the data directory.", cause);
    }

    private static boolean isFull(IOException cause) {
        if (cause instanceof ErrnoException problem) {
            return problem.errno() == ENOSPC || problem.errno() == EDQUOT;
        }
        return String.valueOf(cause.getMessage()).contains("No space left on device");
    }
}
