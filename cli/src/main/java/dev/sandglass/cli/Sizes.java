package dev.sandglass.cli;

import java.util.Locale;

/** Amounts as people write them. */
final class Sizes {
    private Sizes() {}

    /** Megabytes: a plain number, or one with a unit (512M, 2G, 1.5GiB, 65536K). */
    static long megabytes(String option, String text) {
        String upper = text.strip().toUpperCase(Locale.ROOT);
        int end = digits(upper);
        double factor = switch (upper.substring(end)) {
            case "", "M", "MB", "MIB" -> 1;
            case "K", "KB", "KIB" -> 1.0 / 1024;
            case "G", "GB", "GIB" -> 1024;
            case "T", "TB", "TIB" -> 1024 * 1024;
            default -> 0;
        };
        double value = number(upper, end) * factor;
        if (!(value >= 1) || value > Integer.MAX_VALUE) {
            throw new UsageException(option + ": " + text + " (expected: megabytes, or a size such as 512M or 2G)");
        }
        return Math.round(value);
    }

    /** Milliseconds: a plain number is seconds, else with a unit (500ms, 30s, 5m, 2h, 1d). */
    static long milliseconds(String option, String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        int end = digits(lower);
        double factor = switch (lower.substring(end)) {
            case "", "s" -> 1_000;
            case "ms" -> 1;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            case "d" -> 86_400_000;
            default -> 0;
        };
        double value = number(lower, end) * factor;
        if (!(value >= 1) || value > 1e15) {
            throw new UsageException(option + ": " + text + " (expected: seconds, or a time such as 500ms, 30s, 5m or 2h)");
        }
        return Math.round(value);
    }

    private static int digits(String text) {
        int end = 0;
        while (end < text.length() && (Character.isDigit(text.charAt(end)) || text.charAt(end) == '.')) {
            end++;
        }
        return end;
    }

    private static double number(String text, int end) {
        try {
            return Double.parseDouble(text.substring(0, end));
        } catch (NumberFormatException malformed) {
            return -1;
        }
    }
}
