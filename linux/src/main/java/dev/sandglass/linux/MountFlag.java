package dev.sandglass.linux;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/** What a mount forbids. */
public enum MountFlag {
    READ_ONLY("ro", 1),
    NO_SETUID("nosuid", 2),
    NO_DEVICES("nodev", 4),
    NO_PROGRAMS("noexec", 8);

    private final String option;
    private final long attribute;

    MountFlag(String option, long attribute) {
        this.option = option;
        this.attribute = attribute;
    }

    /** What mount(8) and the kernel's tables call so. */
    static Optional<MountFlag> named(String option) {
        return Arrays.stream(values()).filter(flag -> flag.option.equals(option)).findFirst();
    }

    /** The flags as MOUNT_ATTR bits, which have the same values as the MS bits of mount(2). */
    static long bits(Set<MountFlag> flags) {
        return flags.stream().mapToLong(flag -> flag.attribute).reduce(0, (left, right) -> left | right);
    }
}
