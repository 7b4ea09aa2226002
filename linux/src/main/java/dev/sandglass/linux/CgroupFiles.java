package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * The counters of a control group in either version's files.
 *
 * @param directory the group's directory in the hierarchy that has a controller
 */
record CgroupFiles(Function<String, Path> directory) {
    private static final long NANOS_PER_MICRO = 1000;

    CgroupUsage usageV1() throws IOException {
        long used = number("memory", "memory.usage_in_bytes");
        return new CgroupUsage(
                Math.max(0, used - keyed("memory", "memory.stat", "total_inactive_file")),
                number("cpuacct", "cpuacct.usage") / NANOS_PER_MICRO,
                number("pids", "pids.current"),
                oomKillsV1(),
                keyed("pids", "pids.events", "max"));
    }

    CgroupUsage usageV2() throws IOException {
        long used = number("memory", "memory.current");
        return new CgroupUsage(
                Math.max(0, used - keyed("memory", "memory.stat", "inactive_file")),
                keyed("cpu", "cpu.stat", "usage_usec"),
                number("pids", "pids.current"),
                oomKillsV2(),
                keyed("pids", "pids.events", "max"));
    }

    long oomKillsV1() throws IOException {
        return keyed("memory", "memory.oom_control", "oom_kill");
    }

    long oomKillsV2() throws IOException {
        return keyed("memory", "memory.events", "oom_kill");
    }

    private long number(String controller, String file) throws IOException {
        String text = read(controller, file).strip();
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private long keyed(String controller, String file, String key) throws IOException {
        return read(controller, file)
                .lines()
                .filter(line -> line.startsWith(key + " "))
                .mapToLong(line -> Long.parseLong(line.substring(key.length() + 1).strip()))
                .findFirst()
                .orElse(0);
    }

    private String read(String controller, String file) throws IOException {
        try {
            return Files.readString(directory.apply(controller).resolve(file));
        } catch (NoSuchFileException _) {
            return "";
        }
    }
}
