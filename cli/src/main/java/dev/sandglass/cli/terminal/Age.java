package dev.sandglass.cli.terminal;

/** Spans of time as people read them. */
public final class Age {
    private Age() {}

    /** One unit that fits: {@code 42s}, {@code 5m}, {@code 3h}, {@code 12d}. */
    public static String shown(long seconds) {
        long past = Math.max(0, seconds);
        if (past < 120) {
            return past + "s";
        }
        if (past < 7_200) {
            return past / 60 + "m";
        }
        return past < 172_800 ? past / 3_600 + "h" : past / 86_400 + "d";
    }
}
