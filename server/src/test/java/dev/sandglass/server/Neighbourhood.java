package dev.sandglass.server;

import dev.sandglass.wire.Health;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The API and another sandbox, asked over and over while something bad goes on next to them: one bad answer fails the test. */
final class Neighbourhood {
    private final Caller caller;
    private final TestSandbox neighbour;
    private final AtomicLong rounds = new AtomicLong();
    private final AtomicLong slowestNanos = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> trouble = new AtomicReference<>();
    private final Thread asking = Thread.ofVirtual().unstarted(this::ask);
    private volatile boolean ended;

    private Neighbourhood(TestSandbox neighbour) {
        this.caller = neighbour.caller();
        this.neighbour = neighbour;
    }

    static Neighbourhood of(TestSandbox neighbour) {
        Neighbourhood all = new Neighbourhood(neighbour);
        all.asking.start();
        return all;
    }

    private void ask() {
        try {
            while (!ended) {
                long begin = System.nanoTime();
                if (!caller.get("/v1/health").as(Health.class).status().equals("ok")) {
                    throw new AssertionError("the daemon is not well");
                }
                if (!neighbour.output("echo unharmed").equals("unharmed")) {
                    throw new AssertionError("the neighbour is harmed");
                }
                slowestNanos.accumulateAndGet(System.nanoTime() - begin, Math::max);
                rounds.incrementAndGet();
            }
        } catch (RuntimeException | AssertionError problem) {
            trouble.set(problem);
        }
    }

    /** Waits until both have answered a few more times, all of them asked after this call. */
    void mustAnswer() {
        mustAnswer(4);
    }

    void mustAnswer(int times) {
        long enough = rounds.get() + times;
        Eventually.get(rounds::get, now -> now >= enough || trouble.get() != null);
        check();
    }

    /** The slowest answer of both together, since {@link #forget}. */
    Duration slowest() {
        return Duration.ofNanos(slowestNanos.get());
    }

    /** What was answered so far, or is being asked now, is not counted. */
    void forget() {
        mustAnswer(2);
        slowestNanos.set(0);
    }

    private void check() {
        Throwable problem = trouble.get();
        if (problem != null) {
            throw new AssertionError("the neighbourhood suffers: " + problem, problem);
        }
    }

    /** Stops asking. */
    void end() throws InterruptedException {
        ended = true;
        asking.join(Duration.ofMinutes(2));
        check();
    }
}
