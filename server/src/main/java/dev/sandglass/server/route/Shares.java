package dev.sandglass.server.route;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** How many requests and WebSockets are under way to each sandbox: one that everybody wants, or that answers nobody, leaves room for the others. Thread-safe. */
final class Shares {
    private final int most;
    private final Map<SandboxId, Integer> underWay = new HashMap<>();

    /** @param most of one sandbox at once */
    Shares(int most) {
        this.most = most;
    }

    /** Counts one more; {@code limit_reached}. Run what is returned when it is over; again does no harm. */
    synchronized Runnable take(SandboxId sandbox) {
        int now = underWay.getOrDefault(sandbox, 0);
        if (now >= most) {
            throw new SandglassException(
                    ErrorCode.LIMIT_REACHED, "There are " + most + " requests under way to this sandbox (expected: fewer).", "Try again in a moment, or let some of them end.");
        }
        underWay.put(sandbox, now + 1);
        AtomicBoolean over = new AtomicBoolean();
        return () -> {
            if (over.compareAndSet(false, true)) {
                leave(sandbox);
            }
        };
    }

    private synchronized void leave(SandboxId sandbox) {
        underWay.computeIfPresent(sandbox, (_, count) -> count > 1 ? count - 1 : null);
    }
}
