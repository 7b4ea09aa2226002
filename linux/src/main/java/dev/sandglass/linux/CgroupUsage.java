package dev.sandglass.linux;

/**
 * What the processes of a control group use.
 *
 * @param memoryBytes without file pages that the kernel can drop at once
 * @param tasks processes and threads
 * @param oomKills processes killed because the memory limit was reached
 * @param refusedTasks how often a process or thread was refused because of their limit
 */
public record CgroupUsage(long memoryBytes, long cpuMicros, long tasks, long oomKills, long refusedTasks) {}
