package dev.sandglass.engine.command;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.Locale;
import java.util.Map;

/** Signals by name or number, as Linux numbers them. */
final class Signals {
    private static final Map<String, Integer> NUMBERS = Map.ofEntries(
            Map.entry("HUP", 1),
            Map.entry("INT", 2),
            Map.entry("QUIT", 3),
            Map.entry("ILL", 4),
            Map.entry("TRAP", 5),
            Map.entry("ABRT", 6),
            Map.entry("BUS", 7),
            Map.entry("FPE", 8),
            Map.entry("KILL", 9),
            Map.entry("USR1", 10),
            Map.entry("SEGV", 11),
            Map.entry("USR2", 12),
            Map.entry("PIPE", 13),
            Map.entry("ALRM", 14),
            Map.entry("TERM", 15),
            Map.entry("CHLD", 17),
            Map.entry("CONT", 18),
            Map.entry("STOP", 19),
            Map.entry("TSTP", 20),
            Map.entry("TTIN", 21),
            Map.entry("TTOU", 22),
            Map.entry("WINCH", 28));

    private Signals() {}

    static int number(String text) {
        String name = text.toUpperCase(Locale.ROOT);
        Integer known = NUMBERS.get(name.startsWith("SIG") ? name.substring(3) : name);
        if (known != null) {
            return known;
        }
        if (text.matches("[0-9]{1,2}")) {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= 64) {
                return number;
            }
        }
        throw new SandglassException(
                ErrorCode.INVALID_REQUEST, "signal: " + text + " (expected: a name like TERM, or 1 to 64)", "`kill -l` lists the names.");
    }
}
