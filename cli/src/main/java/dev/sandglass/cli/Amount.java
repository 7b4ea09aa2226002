package dev.sandglass.cli;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Amounts as people write them; an option that is absent stays so. */
final class Amount {
    private Amount() {}

    /** Megabytes: a plain number, or one with a unit (512M, 2G, 1.5GiB, 65536K). */
    static @Nullable Long megabytes(String option, @Nullable String text) {
        return text == null ? null : parse(option, text, "megabytes, or a size such as 512M or 2G", Amount::megabytesPer);
    }

    /** Seconds, of which a part counts as a whole one; 0 is allowed. */
    static @Nullable Long seconds(String option, @Nullable String text) {
        if (text == null || text.equals("0")) {
            return text == null ? null : Long.valueOf(0);
        }
        Long millis = milliseconds(option, text);
        return millis == null ? null : Math.ceilDiv(millis, 1000L);
    }

    /**
     * The same, and no more than that: the daemon would tell both in seconds, whatever was written.
     *
     * @param shown the most as people write it
     */
    static @Nullable Long seconds(String option, @Nullable String text, long most, String shown) {
        Long seconds = seconds(option, text);
        if (seconds != null && seconds > most) {
            throw unexpected(option, String.valueOf(text), "at most " + shown);
        }
        return seconds;
    }

    /** Milliseconds: a plain number is seconds, else with a unit (500ms, 30s, 5m, 2h, 1d). */
    static @Nullable Long milliseconds(String option, @Nullable String text) {
        return text == null ? null : parse(option, text, "seconds, or a time such as 500ms, 30s, 5m or 2h", Amount::millisecondsPer);
    }

    static @Nullable Long count(String option, @Nullable String text) {
        return text == null ? null : parse(option, text, "a whole number above 0", unit -> unit.isEmpty() ? 1 : 0);
    }

    /** The number of something that is known by it, from 0 on. */
    static long id(String option, String text) {
        boolean digits = !text.isEmpty() && text.length() < 19 && text.chars().allMatch(Character::isDigit);
        if (!digits) {
            throw unexpected(option, text, "a whole number");
        }
        return Long.parseLong(text);
    }

    static @Nullable Double number(String option, @Nullable String text) {
        if (text == null) {
            return null;
        }
        double value = value(text, text.length());
        if (!(value > 0)) {
            throw unexpected(option, text, "a number above 0");
        }
        return value;
    }

    private interface Units {
        /** How much one of the unit is, 0 for a unit that is not known. */
        double factor(String unit);
    }

    private static double megabytesPer(String unit) {
        return switch (unit) {
            case "", "m", "mb", "mib" -> 1;
            case "k", "kb", "kib" -> 1.0 / 1024;
            case "g", "gb", "gib" -> 1024;
            case "t", "tb", "tib" -> 1024 * 1024;
            default -> 0;
        };
    }

    private static double millisecondsPer(String unit) {
        return switch (unit) {
            case "", "s" -> 1_000;
            case "ms" -> 1;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            case "d" -> 86_400_000;
            default -> 0;
        };
    }

    private static long parse(String option, String text, String expected, Units units) {
        int end = 0;
        while (end < text.length() && (Character.isDigit(text.charAt(end)) || text.charAt(end) == '.')) {
            end++;
        }
        double value = value(text, end) * units.factor(text.substring(end).toLowerCase(Locale.ROOT));
        if (!(value >= 1) || value > 1e15) {
            throw unexpected(option, text, expected);
        }
        return Math.round(value);
    }

    private static double value(String text, int end) {
        try {
            return Double.parseDouble(text.substring(0, end));
        } catch (NumberFormatException malformed) {
            return -1;
        }
    }

    private static UsageException unexpected(String option, String text, String expected) {
        return new UsageException(option + ": " + text + " (expected: " + expected + ")");
    }
}
