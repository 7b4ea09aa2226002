package dev.sandglass.linux;

import java.util.Set;

/** What a mount forbids. */
public enum MountFlag {
    READ_ONLY(1),
    NO_SETUID(2),
    NO_DEVICES(4);

    private final long attribute;

    MountFlag(long attribute) {
        this.attribute = attribute;
    }

    /** The flags as MOUNT_ATTR bits, which have the same values as the MS bits of mount(2). */
    static long bits(Set<MountFlag> flags) {
        return flags.stream().mapToLong(flag -> flag.attribute).reduce(0, (left, right) -> left | right);
    }
}
