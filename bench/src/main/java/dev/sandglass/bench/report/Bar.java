package dev.sandglass.bench.report;

/** A number as a bar of eighths of a character. */
final class Bar {
    private static final String EIGHTHS = " ▏▎▍▌▋▊▉";
    private static final char FULL = '█';

    private Bar() {}

    /** A bar for the value, where the greatest value has that width; never empty for a value above zero. */
    static String of(double value, double greatest, int width) {
        if (value <= 0 || greatest <= 0) {
            return "";
        }
        long eighths = Math.max(1, Math.round(Math.min(value, greatest) / greatest * width * 8));
        StringBuilder bar = new StringBuilder().repeat(FULL, (int) (eighths / 8));
        if (eighths % 8 > 0) {
            bar.append(EIGHTHS.charAt((int) (eighths % 8)));
        }
        return bar.toString();
    }
}
