package dev.sandglass.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the daemon takes, in megabytes. */
record DaemonMemory(long daemon) {
    private static final Pattern USED_HEAP = Pattern.compile("used (\\d+)K");
    private static final double KIBI = 1024;

    /** What is reachable. */
    double heap() throws IOException {
        Footprint.run(jcmd("GC.run"));
        Matcher used = USED_HEAP.matcher(Footprint.run(jcmd("GC.heap_info")));
        if (!used.find()) {
            throw new IOException("jcmd does not tell the daemon's heap");
        }
        return Long.parseLong(used.group(1)) / KIBI;
    }

    double resident() throws IOException {
        return megabytes(Path.of("/proc", Long.toString(daemon), "status"), "VmRSS:");
    }

    /** The value of a line that is told in KiB. */
    static double megabytes(Path file, String key) throws IOException {
        try (var lines = Files.lines(file)) {
            String line = lines.filter(each -> each.startsWith(key)).findFirst().orElse("0");
            return Long.parseLong(line.replaceAll("[^0-9]", "")) / KIBI;
        }
    }

    private List<String> jcmd(String command) {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), Long.toString(daemon), command);
    }
}
