package dev.sandglass.engine.runtime;

/**
 * What a sandbox uses now.
 *
 * @param oomKills processes that the kernel killed because the memory limit was reached, since the start
 */
public record Usage(long memoryBytes, long cpuMicros, long processes, long oomKills) {}
