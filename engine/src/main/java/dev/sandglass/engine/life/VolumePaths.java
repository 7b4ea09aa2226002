package dev.sandglass.engine.life;

import dev.sandglass.engine.sandbox.VolumeUse;
import java.util.List;

/** Where in a sandbox volumes may be mounted; what is not so is refused with the value and the expectation. Touches nothing. */
final class VolumePaths {
    private static final int MOST = 1024;
    private static final List<String> TAKEN = List.of("/proc", "/sys", "/dev", "/run");

    private VolumePaths() {}

    static String check(String asked) {
        boolean isPlain = asked.startsWith("/") && asked.length() <= MOST && asked.chars().noneMatch(each -> each < 0x20 || each == 0x7f);
        String path = isPlain && asked.length() > 1 && asked.endsWith("/") ? asked.substring(0, asked.length() - 1) : asked;
        if (!isPlain || path.length() < 2 || List.of(path.substring(1).split("/", -1)).stream().anyMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."))) {
            throw Rules.invalid("volumes.path", Rules.printable(asked), "an absolute path other than /, of at most " + MOST + " characters, without '.' and '..'");
        }
        if (TAKEN.stream().anyMatch(taken -> isAtOrBelow(path, taken))) {
            throw Rules.invalid("volumes.path", Rules.printable(asked), "not at or below " + String.join(", ", TAKEN));
        }
        return path;
    }

    /** Refuses one that would hide another, or be in it. */
    static void requireApart(List<VolumeUse> all, String path) {
        for (VolumeUse use : all) {
            if (isAtOrBelow(use.path(), path) || isAtOrBelow(path, use.path())) {
                throw Rules.invalid("volumes.path", path, "a place of its own: the volume " + use.name() + " is at " + use.path());
            }
        }
    }

    private static boolean isAtOrBelow(String path, String other) {
        return path.equals(other) || path.startsWith(other + "/");
    }
}
