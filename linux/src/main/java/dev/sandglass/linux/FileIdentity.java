package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Work on files in the name of another user, with all capabilities of this process kept. */
public final class FileIdentity {
    private static final int CAPABILITY_VERSION_3 = 0x20080522;

    private FileIdentity() {}

    /** Runs the work as that user and group. File ids belong to a thread, so it gets one that carries them into nothing else. */
    public static void as(int id, OwnThread.Task work) throws IOException {
        OwnThread.run("as-" + id, () -> {
            assume(id);
            work.run();
        });
    }

    private static void assume(int id) throws ErrnoException {
        // SAFETY: both take a number, act on the calling thread and return the former id.
        Libc.call("setfsgid", SystemCall.SETFSGID, id);
        Libc.call("setfsuid", SystemCall.SETFSUID, id);
        if (Libc.call("setfsuid", SystemCall.SETFSUID, -1) != id) {
            throw new ErrnoException("setfsuid", Libc.EPERM);
        }
        raiseCapabilities();
    }

    /** Leaving user 0 takes the file capabilities out of the effective set; the permitted set still has them. */
    private static void raiseCapabilities() throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment header = arena.allocate(8, 8);
            header.set(ValueLayout.JAVA_INT, 0, CAPABILITY_VERSION_3);
            MemorySegment sets = arena.allocate(24, 8); // effective, permitted, inheritable, twice 32 bits
            // SAFETY: version 3 has an 8-byte header and 24 bytes of data; pid 0 is the calling thread.
            Libc.call("capget", SystemCall.CAPGET, header.address(), sets.address());
            sets.set(ValueLayout.JAVA_INT, 0, sets.get(ValueLayout.JAVA_INT, 4));
            sets.set(ValueLayout.JAVA_INT, 12, sets.get(ValueLayout.JAVA_INT, 16));
            Libc.call("capset", SystemCall.CAPSET, header.address(), sets.address());
        }
    }
}
