package dev.sandglass.runtime.oci;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Which system calls a sandbox may make. A container gets an allow-list. gVisor's kernel is an allow-list by itself and
 * its filters know one error only, so there the same refusals are taken out of what it offers.
 */
public final class SeccompProfile {
    private static final int EPERM = 1;
    private static final int ENOSYS = 38;
    private static final int EAFNOSUPPORT = 97;
    private static final String ALLOW = "SCMP_ACT_ALLOW";
    private static final String ERROR = "SCMP_ACT_ERRNO";

    /** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
    private static final List<Long> NAMESPACE_FLAGS =
            List.of(0x0002_0000L, 0x0200_0000L, 0x0400_0000L, 0x0800_0000L, 0x1000_0000L, 0x2000_0000L, 0x4000_0000L);

    private static final long ANY_NAMESPACE_FLAG = NAMESPACE_FLAGS.stream().reduce(0L, (left, right) -> left | right);
    /**
     * Typing into a terminal that others read: TIOCSTI, TIOCLINUX. Subvolumes of btrfs, which whoever may write to a directory may make, as in a volume: what is
     * in one is charged to no limit, and no snapshot has it. SUBVOL_CREATE, SNAP_CREATE, each with its second version, SUBVOL_SETFLAGS.
     */
    static final List<Long> REFUSED_REQUESTS = List.of(0x5412L, 0x541cL, 0x5000_940eL, 0x5000_9418L, 0x5000_9401L, 0x5000_9417L, 0x4008_941aL);
    /** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK; AF_PACKET (its rings are memory that no limit counts), AF_ALG, AF_VSOCK and all others are above the last. */
    private static final List<Long> SOCKET_FAMILIES = List.of(1L, 2L, 10L, 16L);
    /** The plain ones, with and without ADDR_COMPAT and short inodes, and the question for the present one. */
    private static final List<Long> PERSONALITIES = List.of(0L, 0x8L, 0x2_0000L, 0x2_0008L, 0xffff_ffffL);

    private static final Map<String, List<String>> LISTS = read();

    private SeccompProfile() {}

    /** For a container: what is not listed does not exist. */
    public static Spec.Seccomp container() {
        List<Spec.Syscalls> rules = new ArrayList<>();
        rules.add(new Spec.Syscalls(list("allow"), ALLOW, null, List.of()));
        rules.add(refuse(list("refuse")));
        rules.add(refuse(list("refuse-container")));
        // clone3 hides its flags from a filter; without it the C library takes clone.
        rules.add(new Spec.Syscalls(List.of("clone3"), ERROR, ENOSYS, List.of()));
        rules.add(allow("clone", masked(0, ANY_NAMESPACE_FLAG, 0)));
        for (long flag : NAMESPACE_FLAGS) {
            rules.add(refuse("clone", masked(0, flag, flag)));
        }
        for (BitPattern other : BitPattern.allBut(REFUSED_REQUESTS)) {
            rules.add(allow("ioctl", masked(1, other.mask(), other.value())));
        }
        rules.addAll(refusedRequests());
        for (long family : SOCKET_FAMILIES) {
            rules.add(allow("socket", equal(family)));
        }
        rules.add(refusedFamilies());
        for (long personality : PERSONALITIES) {
            rules.add(allow("personality", equal(personality)));
        }
        return new Spec.Seccomp(ERROR, ENOSYS, architecture(), rules);
    }

    /**
     * For gVisor: what is not listed is up to its kernel.
     *
     * @param missing calls that are better not there at all; a trace without a tracer is gVisor's only way to say ENOSYS
     */
    public static Spec.Seccomp gvisor(List<String> missing) {
        List<Spec.Syscalls> rules = new ArrayList<>();
        rules.add(new Spec.Syscalls(missing, "SCMP_ACT_TRACE", null, List.of()));
        rules.add(refuse(list("refuse")));
        for (long flag : NAMESPACE_FLAGS) {
            rules.add(refuse("clone", masked(0, flag, flag)));
        }
        rules.addAll(refusedRequests());
        rules.add(refusedFamilies());
        // Linux spares PID 1 of a namespace; gVisor would end the sandbox.
        for (String signal : List.of("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")) {
            rules.add(refuse(signal, masked(0, 0xffff_ffffL, 1)));
        }
        return new Spec.Seccomp(ALLOW, null, architecture(), rules);
    }

    /** The host's own only: 32-bit calls have other numbers, and socketcall hides the family from a filter. */
    private static List<String> architecture() {
        return List.of(System.getProperty("os.arch").equals("aarch64") ? "SCMP_ARCH_AARCH64" : "SCMP_ARCH_X86_64");
    }

    private static List<Spec.Syscalls> refusedRequests() {
        return REFUSED_REQUESTS.stream()
                .map(request -> refuse("ioctl", masked(1, BitPattern.ALL, request)))
                .toList();
    }

    private static Spec.Syscalls refusedFamilies() {
        Spec.Argument above = new Spec.Argument(0, SOCKET_FAMILIES.getLast(), 0, "SCMP_CMP_GT");
        return new Spec.Syscalls(List.of("socket"), ERROR, EAFNOSUPPORT, List.of(above));
    }

    private static Spec.Syscalls refuse(List<String> names) {
        return new Spec.Syscalls(names, ERROR, EPERM, List.of());
    }

    private static Spec.Syscalls refuse(String name, Spec.Argument argument) {
        return new Spec.Syscalls(List.of(name), ERROR, EPERM, List.of(argument));
    }

    private static Spec.Syscalls allow(String name, Spec.Argument argument) {
        return new Spec.Syscalls(List.of(name), ALLOW, null, List.of(argument));
    }

    private static Spec.Argument masked(int index, long mask, long value) {
        return new Spec.Argument(index, mask, value, "SCMP_CMP_MASKED_EQ");
    }

    private static Spec.Argument equal(long value) {
        return new Spec.Argument(0, value, 0, "SCMP_CMP_EQ");
    }

    private static List<String> list(String section) {
        return Objects.requireNonNull(LISTS.get(section), section);
    }

    private static Map<String, List<String>> read() {
        Map<String, List<String>> lists = new HashMap<>();
        List<String> section = new ArrayList<>();
        try (InputStream file = Objects.requireNonNull(SeccompProfile.class.getResourceAsStream("seccomp.txt"));
                BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            for (String line : (Iterable<String>) lines.lines()::iterator) {
                if (line.startsWith("[")) {
                    section = new ArrayList<>();
                    lists.put(line.substring(1, line.length() - 1), section);
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    section.addAll(Arrays.asList(line.split(" ")));
                }
            }
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
        return lists;
    }
}
