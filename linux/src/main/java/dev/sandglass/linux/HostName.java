package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/** The host name that the processes of a UTS namespace see. */
public final class HostName {
    private static final long CLONE_NEWUTS = 0x04000000;

    private HostName() {}

    /**
     * Gives the namespace of a process another name; never the one in which this program is.
     *
     * @param isSame tells, while the namespace is held, whether the pid still is the process that is meant
     */
    public static void set(long pid, String name, BooleanSupplier isSame) throws IOException {
        OwnThread.run("host-name", () -> {
            try (Fd namespace = Fd.open(Path.of("/proc", Long.toString(pid), "ns", "uts"), SystemCall.O_RDONLY);
                    Arena arena = Arena.ofConfined()) {
                Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/uts"));
                if (own.equals(Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(namespace.number())))) || !isSame.getAsBoolean()) {
                    throw new IOException("process " + pid + " is not the one that is meant");
                }
                byte[] text = name.getBytes(StandardCharsets.US_ASCII);
                MemorySegment bytes = arena.allocate(Math.max(1, text.length)).copyFrom(MemorySegment.ofArray(text));
                // SAFETY: both act on the calling thread, which ends here; the kernel copies the name during the call.
                Libc.call("setns", SystemCall.SETNS, namespace.number(), CLONE_NEWUTS);
                Libc.call("sethostname", SystemCall.SETHOSTNAME, bytes.address(), text.length);
            }
        });
    }
}
