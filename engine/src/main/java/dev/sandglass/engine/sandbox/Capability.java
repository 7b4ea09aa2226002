package dev.sandglass.engine.sandbox;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;

/**
 * The capabilities that commands of a sandbox may have. Whatever could reach the host's kernel or another sandbox (SYS_ADMIN,
 * SYS_PTRACE, SYS_MODULE, NET_ADMIN, DAC_READ_SEARCH, MKNOD, ...) is not among them and cannot be asked for.
 */
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
    /** Only where asked for: raw packets on the sandbox's own network. */
    NET_RAW(13),
    SYS_CHROOT(18),
    /** Only where asked for: records in the audit log, which the kernel takes from no user namespace anyway. */
    AUDIT_WRITE(29),
    /** Only where asked for: capabilities on files, which count in the sandbox only. */
    SETFCAP(31);

    /** What commands get unless something else is asked for: Docker's default without MKNOD, NET_RAW, AUDIT_WRITE and SETFCAP. */
    public static final Set<Capability> STANDARD =
            Set.copyOf(EnumSet.complementOf(EnumSet.of(NET_RAW, AUDIT_WRITE, SETFCAP)));

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
}
