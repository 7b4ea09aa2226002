package dev.sandglass.linux;

/**
 * What the processes of a control group may use together.
 *
 * @param cpus processor time per second of wall time
 * @param processes processes and threads
 */
public record CgroupLimits(long memoryBytes, double cpus, long processes) {
    static final long CPU_PERIOD_MICROS = 100_000;
    /** The kernel takes no less. */
    private static final long MIN_QUOTA_MICROS = 1000;

    long quotaMicros() {
        return Math.max(MIN_QUOTA_MICROS, Math.round(cpus * CPU_PERIOD_MICROS));
    }
}
