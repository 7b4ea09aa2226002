package dev.sandglass.runtime.container;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of a Linux kernel. */
record KernelRelease(int major, int minor) {
    private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+).*");

    static KernelRelease current() {
        return of(System.getProperty("os.version"));
    }

    static KernelRelease of(String text) {
        Matcher matcher = NUMBERS.matcher(text);
        return matcher.matches()
                ? new KernelRelease(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)))
                : new KernelRelease(0, 0);
    }

    boolean isAtLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
