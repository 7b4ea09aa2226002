package dev.sandglass.bench;

import dev.sandglass.bench.report.Facts;
import dev.sandglass.wire.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** What is to be known about the machine. */
public final class Host {
    private static final long KIBI = 1024;

    private Host() {}

    public static Facts facts(Status status, Map<String, String> engines) throws IOException {
        return new Facts(
                status.version(),
                Runtime.getRuntime().availableProcessors(),
                field(Path.of("/proc/cpuinfo"), "model name"),
                Long.parseLong(field(Path.of("/proc/meminfo"), "MemTotal").replace(" kB", "")) / KIBI,
                Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip(),
                Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ")[0]),
                status.pool().kind(),
                engines);
    }

    private static String field(Path file, String name) throws IOException {
        try (var lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("0");
        }
    }
}
