package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the kernel counts for the whole machine, or for all containers together because root made their user namespaces: one
 * container could take all that there is. Most of these counts stand in for memory, which a container's control group limits
 * anyway, so they are raised to where its memory ends first. Stateless.
 */
public final class KernelCounts {
    private static final Path SETTINGS = Path.of("/proc/sys");
    private static final long PLENTY = 1 << 30;
    private static final long MOST_TERMINALS = 1 << 20;
    private static final long MOST_PROCESSES = 1 << 22;

    /** Settings, and what they should at least be. */
    private static final Map<String, Long> LEAST = Map.of(
            "fs/epoll/max_user_watches", PLENTY,
            "fs/file-max", PLENTY,
            "fs/inotify/max_user_instances", PLENTY,
            "fs/inotify/max_user_watches", PLENTY,
            "kernel/pid_max", MOST_PROCESSES,
            "kernel/pty/max", MOST_TERMINALS);

    /** Beyond it new pipes are small; 0 is none. */
    private static final Path PIPES = SETTINGS.resolve("fs/pipe-user-pages-soft");

    private static final int PENDING_SIGNALS = 11;
    private static final int MESSAGE_QUEUES = 12;
    private static final long UNLIMITED = -1;

    private KernelCounts() {}

    /**
     * Raises those of the machine that are lower, and this process's own limits, which engines inherit: what root may have when it
     * makes a user namespace is what all such namespaces may have together. Returns what could not be raised.
     */
    public static List<String> raise() {
        List<String> refused = new ArrayList<>();
        LEAST.forEach((name, least) -> attempt(refused, () -> raise(SETTINGS.resolve(name), least)));
        attempt(refused, () -> {
            if (!read(PIPES).equals("0")) {
                Files.writeString(PIPES, "0");
            }
        });
        for (int resource : new int[] {PENDING_SIGNALS, MESSAGE_QUEUES}) {
            attempt(refused, () -> setUnlimited(resource));
        }
        return refused;
    }

    /** The settings of the machine that are lower than they should be, as {@code sysctl} writes them. */
    public static List<String> low() {
        List<String> low = new ArrayList<>();
        LEAST.forEach((name, least) -> {
            try {
                String value = read(SETTINGS.resolve(name));
                if (Long.compareUnsigned(Long.parseUnsignedLong(value), least) < 0) {
                    low.add(name.replace('/', '.') + "=" + value);
                }
            } catch (IOException | NumberFormatException unknown) {
                low.add(name.replace('/', '.') + " (not to be read)");
            }
        });
        return low.stream().sorted().toList();
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private static void attempt(List<String> refused, Attempt attempt) {
        try {
            attempt.run();
        } catch (IOException | NumberFormatException problem) {
            refused.add(problem.toString());
        }
    }

    static void raise(Path setting, long least) throws IOException {
        if (Long.compareUnsigned(Long.parseUnsignedLong(read(setting)), least) < 0) {
            Files.writeString(setting, Long.toString(least));
        }
    }

    /** Not readString: it reads a byte first, and the kernel gives the rest of such a file to nobody. */
    static String read(Path setting) throws IOException {
        return Files.readAllLines(setting).getFirst().strip();
    }

    private static void setUnlimited(int resource) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(16, 8);
            limit.set(ValueLayout.JAVA_LONG, 0, UNLIMITED);
            limit.set(ValueLayout.JAVA_LONG, 8, UNLIMITED);
            // SAFETY: process 0 is this one; the 16 bytes of struct rlimit64 live as long as the arena; the old limit is not asked for.
            Libc.call("prlimit of resource " + resource, SystemCall.PRLIMIT64, 0, resource, limit.address(), 0);
        }
    }
}
