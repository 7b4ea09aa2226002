package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The host name that the processes of a UTS namespace see. */
public final class HostName {
    private static final long CLONE_NEWUTS = 0x04000000;

    private HostName() {}

    /** Gives the namespace of a process another name. */
    public static void set(long pid, String name) throws IOException {
        OwnThread.run("host-name", () -> {
            try (Fd namespace = Fd.open(Path.of("/proc", Long.toString(pid), "ns", "uts"), SystemCall.O_RDONLY);
                    Arena arena = Arena.ofConfined()) {
                byte[] text = name.getBytes(StandardCharsets.US_ASCII);
                MemorySegment bytes = arena.allocate(Math.max(1, text.length)).copyFrom(MemorySegment.ofArray(text));
                // SAFETY: both act on the calling thread, which ends here; the kernel copies the name during the call.
                Libc.call("setns", SystemCall.SETNS, namespace.number(), CLONE_NEWUTS);
                Libc.call("sethostname", SystemCall.SETHOSTNAME, bytes.address(), text.length);
            }
        });
    }
}
