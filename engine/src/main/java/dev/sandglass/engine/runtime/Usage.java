package dev.sandglass.engine.runtime;

/**
 * What a sandbox uses now.
 *
 * @param oomKills processes that the kernel killed because the memory limit was reached, since the start
 * @param refusedTasks how often the host has refused a process or thread because of their limit, since the start
 */
public record Usage(long memoryBytes, long cpuMicros, long processes, long oomKills, long refusedTasks) {}
