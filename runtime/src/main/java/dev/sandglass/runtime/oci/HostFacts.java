package dev.sandglass.runtime.oci;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What sandboxes must not see of this host or can at most get from it; read once.
 *
 * @param maskedPaths of /proc and /sys, which tell of the host or its neighbours' work: an empty file or directory inside
 * @param openFiles as many as a process may have: without CAP_SYS_RESOURCE nobody can give more than he has
 */
public record HostFacts(List<String> maskedPaths, long openFiles) {
    static final List<String> READ_ONLY_PATHS =
            List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

    private static final List<String> MASKED_PATHS = List.of(
            "/proc/acpi",
            "/proc/asound",
            "/proc/interrupts",
            "/proc/kcore",
            "/proc/keys",
            "/proc/latency_stats",
            "/proc/sched_debug",
            "/proc/scsi",
            "/proc/timer_list",
            "/proc/timer_stats",
            "/sys/devices/virtual/powercap",
            "/sys/firmware");
    private static final Path PROCESSORS = Path.of("/sys/devices/system/cpu");
    private static final long MOST_OPEN_FILES = 65_536;
    private static final String OPEN_FILES_LINE = "Max open files";

    public static HostFacts read() throws IOException {
        List<String> masked = new ArrayList<>(MASKED_PATHS);
        try (DirectoryStream<Path> processors = Files.newDirectoryStream(PROCESSORS, "cpu[0-9]*")) {
            for (Path processor : processors) {
                Path heat = processor.resolve("thermal_throttle");
                if (Files.exists(heat)) {
                    masked.add(heat.toString());
                }
            }
        }
        return new HostFacts(List.copyOf(masked), hardLimitOfOpenFiles());
    }

    private static long hardLimitOfOpenFiles() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
            if (line.startsWith(OPEN_FILES_LINE)) {
                String hard = line.substring(OPEN_FILES_LINE.length()).strip().split("\\s+")[1];
                return hard.equals("unlimited") ? MOST_OPEN_FILES : Math.min(MOST_OPEN_FILES, Long.parseLong(hard));
            }
        }
        return MOST_OPEN_FILES;
    }
}
