package dev.sandglass.linux;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** A regular file of a tree with hostile content, open for reading. Not thread-safe. */
public final class OpenFile implements AutoCloseable {
    private final Fd fd;

    OpenFile(Fd fd) {
        this.fd = fd;
    }

    Fd fd() {
        return fd;
    }

    /** Fills a direct buffer from its start with what comes next, and makes it ready to be taken from; empty at the end. */
    public ByteBuffer read(ByteBuffer direct) throws ErrnoException {
        direct.clear();
        // SAFETY: the kernel writes at most the buffer's capacity; a direct buffer does not move.
        long count = Libc.call(
                "read", SystemCall.READ, fd.number(), MemorySegment.ofBuffer(direct).address(), direct.capacity());
        return direct.limit((int) count);
    }

    @Override
    public void close() throws ErrnoException {
        fd.close();
    }
}
