package dev.sandglass.cli.terminal;

/** Sizes as people read them. */
public final class Bytes {
    private static final String[] UNITS = {"KB", "MB", "GB", "TB", "PB", "EB"};

    private Bytes() {}

    /** Three digits and a unit: {@code 512 B}, {@code 1.5 MB}, {@code 20 GB}; units of 1024. */
    public static String shown(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double value = bytes;
        int unit = -1;
        while (value >= 999.5 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        long tenths = Math.round(value * 10);
        boolean whole = tenths >= 100 || tenths % 10 == 0;
        return (whole ? Long.toString(Math.round(value)) : tenths / 10 + "." + tenths % 10) + " " + UNITS[unit];
    }
}
