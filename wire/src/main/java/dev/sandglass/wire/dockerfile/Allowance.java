package dev.sandglass.wire.dockerfile;

/** How many characters the words of a Dockerfile may still come to: a short text can name a long value very often. Used by one thread. */
final class Allowance {
    private static final int MOST = 1 << 20;

    private int left = MOST;

    String spend(String value, Line line, int at) {
        left -= value.length();
        if (left < 0) {
            throw line.refused(at, "values of more than " + MOST + " characters together", "Use long values less often, or copy files that have them.");
        }
        return value;
    }
}
