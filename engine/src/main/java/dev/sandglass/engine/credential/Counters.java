package dev.sandglass.engine.credential;

import java.util.concurrent.atomic.LongAdder;

/** What was counted for budgets since the daemon is there, in all. Thread-safe. */
public final class Counters {
    private final LongAdder requests = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder said = new LongAdder();
    private final LongAdder estimated = new LongAdder();

    Counters() {}

    void request(boolean isRefused) {
        (isRefused ? refused : requests).increment();
    }

    void tokens(long tokens, boolean isSaid) {
        (isSaid ? said : estimated).add(tokens);
    }

    /** Requests that were sent. */
    public long requests() {
        return requests.sum();
    }

    /** Requests that were one too many. */
    public long refused() {
        return refused.sum();
    }

    /** Tokens that services have told. */
    public long said() {
        return said.sum();
    }

    /** Tokens of answers that did not get to tell. */
    public long estimated() {
        return estimated.sum();
    }
}
