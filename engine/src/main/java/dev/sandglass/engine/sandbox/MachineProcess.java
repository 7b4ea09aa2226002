package dev.sandglass.engine.sandbox;

/**
 * The host process that lives and dies with a sandbox. The start time and the boot id tell it from another process that
 * got the same pid later.
 *
 * @param startTicks field 22 of {@code /proc/PID/stat}
 */
public record MachineProcess(long pid, long startTicks, String bootId) {}
