package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Work on files in the name of another user, with all capabilities of this process kept. */
public final class FileIdentity {
    private static final int CAPABILITY_VERSION_3 = 0x20080522;

    /** Work that may fail. */
    public interface Work {
        void run() throws IOException;
    }

    private FileIdentity() {}

    /**
     * Runs the work as that user and group. File ids belong to a thread, so it gets a platform thread that lives for this
     * call only and carries the identity into nothing else.
     */
    public static void as(int id, Work work) throws IOException {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().name("as-" + id).start(() -> {
            try {
                assume(id);
                work.run();
            } catch (IOException | RuntimeException | Error problem) {
                failure.set(problem);
            }
        });
        join(thread);
        switch (failure.get()) {
            case null -> {}
            case IOException problem -> throw problem;
            case RuntimeException problem -> throw problem;
            case Throwable problem -> throw new IOException(problem);
        }
    }

    private static void assume(int id) throws ErrnoException {
        // SAFETY: both take a number, act on the calling thread and return the former id.
        Libc.call("setfsgid", IsolationCall.SETFSGID, id);
        Libc.call("setfsuid", IsolationCall.SETFSUID, id);
        if (Libc.call("setfsuid", IsolationCall.SETFSUID, -1) != id) {
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
            Libc.call("capget", IsolationCall.CAPGET, header.address(), sets.address());
            sets.set(ValueLayout.JAVA_INT, 0, sets.get(ValueLayout.JAVA_INT, 4));
            sets.set(ValueLayout.JAVA_INT, 12, sets.get(ValueLayout.JAVA_INT, 16));
            Libc.call("capset", IsolationCall.CAPSET, header.address(), sets.address());
        }
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException _) {
                interrupted = true; // the work is a few system calls: let it finish
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
