package dev.sandglass.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** What /proc tells of a process that sets it apart from every other one that has, had or will have its pid. Stateless. */
public final class ProcessFacts {
    private static final int STATE = 0;
    private static final int START_TIME = 19;

    private ProcessFacts() {}

    /** When the living process with that pid started, in clock ticks since boot; empty when it has ended. */
    public static OptionalLong startTicks(long pid) {
        String stat;
        try {
            // The name of the program is any bytes in parentheses; the numbers come after the last one.
            stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
        } catch (IOException _) {
            return OptionalLong.empty();
        }
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        boolean hasEnded = fields[STATE].equals("Z") || fields[STATE].equals("X");
        return hasEnded ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(fields[START_TIME]));
    }

    /** A text that differs after every boot of this host. */
    public static String bootId() throws IOException {
        return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    }
}
