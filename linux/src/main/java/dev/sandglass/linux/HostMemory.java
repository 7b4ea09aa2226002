package dev.sandglass.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The memory of this machine. Stateless. */
public final class HostMemory {
    private static final Path FILE = Path.of("/proc/meminfo");
    private static final String AVAILABLE = "MemAvailable:";
    private static final String TOTAL = "MemTotal:";
    private static final long KIB = 1024;

    private HostMemory() {}

    /** How many bytes programs can still get; 0 where that cannot be told. */
    public static long available() {
        return read(AVAILABLE);
    }

    /** How many bytes it has; 0 where that cannot be told. */
    public static long total() {
        return read(TOTAL);
    }

    private static long read(String name) {
        try (Stream<String> lines = Files.lines(FILE)) {
            return lines.filter(line -> line.startsWith(name))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIB)
                    .findFirst()
                    .orElse(0);
        } catch (IOException | UncheckedIOException untold) { // for lack of descriptors, say: whoever asks has another way then
            return 0;
        }
    }
}
