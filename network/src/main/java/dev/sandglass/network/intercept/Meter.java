package dev.sandglass.network.intercept;

import java.util.Optional;

/** Counts what a request uses up. Thread-safe. */
public interface Meter {
    /** Counts the request, before it is sent; or says why it is one too many. */
    Optional<Excess> admit();

    /** Whether somebody has to look for tokens in what is answered. */
    boolean countsTokens();

    /**
     * Counts the tokens of a request that is over; it must be quick.
     *
     * @param isSaid whether the service said so
     */
    void charge(long tokens, boolean isSaid);

    /** @param hint what whoever runs the sandbox may do about it */
    record Excess(String why, String hint) {}
}
