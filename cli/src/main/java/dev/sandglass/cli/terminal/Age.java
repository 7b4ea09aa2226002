package dev.sandglass.cli.terminal;

/** Spans of time as people read them. */
public final class Age {
    private Age() {}

    /** The nearest whole number of one unit that fits: {@code 42s}, {@code 5m}, {@code 3h}, {@code 12d}. */
    public static String shown(long seconds) {
        long past = Math.max(0, seconds);
        if (past < 60) {
            return past + "s";
        }
        if (rounded(past, 60) < 60) {
            return rounded(past, 60) + "m";
        }
        return rounded(past, 3_600) < 48 ? rounded(past, 3_600) + "h" : rounded(past, 86_400) + "d";
    }

    private static long rounded(long seconds, long unit) {
        return (seconds + unit / 2) / unit;
    }
}
