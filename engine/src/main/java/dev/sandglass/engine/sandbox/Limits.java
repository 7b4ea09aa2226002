package dev.sandglass.engine.sandbox;

/**
 * What a sandbox may use at most.
 *
 * @param memoryBytes memory of all its processes and in-memory files together
 * @param cpus processor time per second of wall time
 * @param diskBytes what it may write to its own layer
 * @param processes processes and threads
 */
public record Limits(long memoryBytes, double cpus, long diskBytes, long processes) {}
