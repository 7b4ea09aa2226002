package dev.sandglass.pool.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * What distribution the host is.
 *
 * @param id such as {@code debian}
 * @param suite such as {@code bookworm}; empty if it has none
 */
record HostRelease(String id, String suite) {
    static HostRelease read(Path osRelease) throws IOException {
        Map<String, String> fields = new HashMap<>();
        for (String line : Files.readAllLines(osRelease)) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                fields.put(line.substring(0, equals), line.substring(equals + 1).replaceAll("^[\"']|[\"']$", ""));
            }
        }
        return new HostRelease(fields.getOrDefault("ID", "linux"), fields.getOrDefault("VERSION_CODENAME", ""));
    }
}
