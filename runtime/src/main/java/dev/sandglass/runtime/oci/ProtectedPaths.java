package dev.sandglass.runtime.oci;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Paths of /proc and /sys that tell of the host or act on it. */
final class ProtectedPaths {
    private static final List<String> MASKED = List.of(
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

    static final List<String> READ_ONLY =
            List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

    private ProtectedPaths() {}

    /** Those that show an empty file or directory inside; the heat of each processor tells of neighbours' work. */
    static List<String> masked() throws IOException {
        List<String> masked = new ArrayList<>(MASKED);
        try (DirectoryStream<Path> processors = Files.newDirectoryStream(PROCESSORS, "cpu[0-9]*")) {
            for (Path processor : processors) {
                Path throttle = processor.resolve("thermal_throttle");
                if (Files.exists(throttle)) {
                    masked.add(throttle.toString());
                }
            }
        }
        return masked;
    }
}
