package dev.sandglass.client;

/** Is told how far a transfer is. */
@FunctionalInterface
public interface Progress {
    /**
     * Some more has gone through.
     *
     * @param done bytes so far
     * @param total bytes in all, -1 if that is not known
     */
    void moved(long done, long total);
}
