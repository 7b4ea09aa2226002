package dev.sandglass.engine.usage;

import dev.sandglass.wire.DaemonStats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** The counters of this machine and of this process. */
final class Host {
    private static final long KIB = 1024;
    private static final int IDLE = 3;
    private static final int WAITING = 4;
    /** What guests use is among the others already. */
    private static final int COLUMNS = 8;

    private Host() {}

    /** Processor time since the start of the machine, in a unit of its own. */
    record Ticks(long busy, long all) {
        /** Which part of the processors was busy since then. */
        double share(Ticks before) {
            return all <= before.all ? 0 : Math.clamp((busy - before.busy) / (double) (all - before.all), 0.0, 1.0);
        }
    }

    static Ticks ticks() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            long[] columns = Arrays.stream(lines.findFirst().orElse("").split(" +"))
                    .skip(1)
                    .limit(COLUMNS)
                    .mapToLong(Long::parseLong)
                    .toArray();
            long all = Arrays.stream(columns).sum();
            return new Ticks(all - columns[IDLE] - columns[WAITING], all);
        }
    }

    /** A value of {@code /proc/meminfo} or {@code /proc/self/status} that is told in KiB. */
    static long kibibytes(String file, String key) throws IOException {
        return number(file, key) * KIB;
    }

    static DaemonStats daemon() throws IOException {
        Runtime java = Runtime.getRuntime();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return new DaemonStats(
                    kibibytes("/proc/self/status", "VmRSS"),
                    java.totalMemory() - java.freeMemory(),
                    number("/proc/self/status", "Threads"),
                    descriptors.count());
        }
    }

    private static long number(String file, String key) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(key + ":"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .findFirst()
                    .orElse(0);
        }
    }
}
