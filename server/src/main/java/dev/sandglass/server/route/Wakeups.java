package dev.sandglass.server.route;

import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.engine.life.LiveSandboxes;
import dev.sandglass.engine.route.Route;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.server.metric.Traffic;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Finds the sandboxes of requests, and wakes those that rest and may be woken: each once, however many requests wait for it. Thread-safe. */
final class Wakeups {
    /** Requests that wait for one sandbox at once. */
    static final int MOST_WAITING = 256;
    /** A program needs time to start, also where nobody is to wait for a sandbox to wake. */
    private static final Duration LEAST_GRACE = Duration.ofSeconds(10);

    private static final class Wakeup {
        private final CompletableFuture<LiveSandbox> awake = new CompletableFuture<>();
        private int waiting;
    }

    private final LiveSandboxes sandboxes;
    private final Duration patience;
    private final Traffic traffic;
    private final Map<SandboxId, Wakeup> underWay = new HashMap<>();

    Wakeups(LiveSandboxes sandboxes, Duration patience, Traffic traffic) {
        this.sandboxes = sandboxes;
        this.patience = patience;
        this.traffic = traffic;
    }

    /**
     * A sandbox that runs.
     *
     * @param grace how long its programs may still be on their way to where they listen: they start with it
     */
    record Reached(LiveSandbox sandbox, Duration grace) {}

    /** Whether {@link #reach} is worth a try: it runs, or may be woken by the route. */
    boolean canReach(Route route) {
        return isWoken(route) || sandboxes.isRunning(route.sandbox()); // in this order: one that is being woken may run a moment later
    }

    /** The sandbox of a route, running; {@code sandbox_not_running}, or {@code sandbox_waking} if it takes too long or too many wait. */
    Reached reach(Route route) throws InterruptedException {
        try {
            return running(route);
        } catch (SandglassException refused) {
            if (refused.code() == ErrorCode.SANDBOX_NOT_RUNNING && isWoken(route)) {
                return new Reached(await(route.sandbox()), longestGrace());
            }
            if (refused.code() == ErrorCode.SANDBOX_NOT_RUNNING && sandboxes.isRunning(route.sandbox())) {
                return running(route); // somebody else has woken it since
            }
            throw refused;
        }
    }

    private Reached running(Route route) {
        LiveSandbox running = sandboxes.runningAlready(route.sandbox().text());
        return new Reached(running, route.resume() ? grace(running) : Duration.ZERO);
    }

    private boolean isWoken(Route route) {
        return route.resume() && sandboxes.isWokenByUse(route.sandbox());
    }

    /** Of one that somebody else has woken or started: it belongs to the sandbox, whoever comes. */
    private Duration grace(LiveSandbox running) {
        Duration age = running.record().startedAt().map(since -> Duration.between(since, Instant.now())).orElse(Duration.ZERO);
        Duration left = longestGrace().minus(age.isNegative() ? Duration.ZERO : age);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private Duration longestGrace() {
        return patience.compareTo(LEAST_GRACE) > 0 ? patience : LEAST_GRACE;
    }

    private LiveSandbox await(SandboxId id) throws InterruptedException {
        Wakeup wakeup = join(id);
        try {
            return wakeup.awake.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw waking("The sandbox is being woken, and does not run after " + patience.toSeconds() + " s.", late);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof SandglassException problem) {
                throw new SandglassException(problem.code(), problem.what(), problem.hint(), problem);
            }
            throw new IllegalStateException(failed.getCause());
        } finally {
            leave(wakeup);
        }
    }

    private synchronized Wakeup join(SandboxId id) {
        Wakeup wakeup = underWay.get(id);
        if (wakeup == null) {
            wakeup = new Wakeup();
            underWay.put(id, wakeup);
            Wakeup begun = wakeup;
            Thread.ofVirtual().name("wake-" + id).start(() -> wake(id, begun));
        }
        if (wakeup.waiting >= MOST_WAITING) {
            throw waking("The sandbox is being woken, and " + MOST_WAITING + " requests wait for it already.", null);
        }
        wakeup.waiting++;
        return wakeup;
    }

    private synchronized void leave(Wakeup wakeup) {
        wakeup.waiting--;
    }

    /** To its end, whether anybody still waits or not. */
    private void wake(SandboxId id, Wakeup wakeup) {
        try {
            wakeup.awake.complete(sandboxes.running(id.text()));
            traffic.woken("succeeded");
        } catch (RuntimeException problem) {
            traffic.woken("failed");
            wakeup.awake.completeExceptionally(problem);
        } finally {
            synchronized (this) {
                underWay.remove(id, wakeup);
            }
        }
    }

    private static SandglassException waking(String what, @Nullable Throwable cause) {
        return new SandglassException(ErrorCode.SANDBOX_WAKING, what, "Try again in a few seconds.", cause);
    }
}
