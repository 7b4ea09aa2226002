package dev.sandglass.engine.sandbox;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/**
 * What a sandbox may use at most.
 *
 * @param memoryBytes memory of all its processes and in-memory files together
 * @param cpus processor time per second of wall time
 * @param diskBytes what it may write to its own layer
 * @param processes processes and threads
 */
public record Limits(long memoryBytes, double cpus, long diskBytes, long processes) {
    private static final long MIB = 1 << 20;

    /** Limits as people give them, in megabytes; {@code invalid_request} names the one that no sandbox can have. */
    public static Limits of(long memoryMb, double cpus, long diskMb, long processes) {
        if (!(cpus >= 0.05 && cpus <= 4096)) {
            throw invalid("cpus", String.valueOf(cpus), "0.05 to 4096");
        }
        return new Limits(
                within("memory_mb", memoryMb, 64, 1 << 24) * MIB,
                cpus,
                within("disk_mb", diskMb, 16, 1 << 30) * MIB,
                within("max_processes", processes, 16, 1 << 22));
    }

    private static long within(String field, long value, long least, long most) {
        if (value < least || value > most) {
            throw invalid(field, String.valueOf(value), least + " to " + most);
        }
        return value;
    }

    private static SandglassException invalid(String field, String value, String expected) {
        return new SandglassException(
                ErrorCode.INVALID_REQUEST, field + ": " + value + " (expected: " + expected + ")", "Correct the value and try again.");
    }
}
