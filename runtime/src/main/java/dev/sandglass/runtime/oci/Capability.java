package dev.sandglass.runtime.oci;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The capabilities that a sandbox may have. */
public enum Capability {
    CHOWN(0),
    DAC_OVERRIDE(1),
    FOWNER(3),
    FSETID(4),
    KILL(5),
    SETGID(6),
    SETUID(7),
    SETPCAP(8),
    NET_BIND_SERVICE(10),
    SYS_CHROOT(18),
    SYS_ADMIN(21);

    /** What commands get: Docker's default without MKNOD, NET_RAW, AUDIT_WRITE and SETFCAP. */
    public static final Set<Capability> COMMAND = Set.copyOf(EnumSet.complementOf(EnumSet.of(SYS_ADMIN)));

    private final int number;

    Capability(int number) {
        this.number = number;
    }

    /** Bit n stands for capability n. */
    public static long mask(Collection<Capability> capabilities) {
        return capabilities.stream()
                .mapToLong(capability -> 1L << capability.number)
                .reduce(0, (left, right) -> left | right);
    }

    static Spec.CapabilitySets sets(Collection<Capability> capabilities) {
        List<String> names = EnumSet.copyOf(capabilities).stream().map(each -> "CAP_" + each.name()).toList();
        return new Spec.CapabilitySets(names, names, names);
    }
}
