package dev.sandglass.linux;

/**
 * The host's user and group ids that stand for 0, 1, 2 ... inside.
 *
 * @param first the host id of the inside's root
 */
public record IdRange(int first, int count) {}
