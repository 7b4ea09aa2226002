package dev.sandglass.linux;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** A regular file that is being made. Not thread-safe. */
public final class NewFile implements AutoCloseable {
    private final Fd fd;

    NewFile(Fd fd) {
        this.fd = fd;
    }

    /** Sets how long it is: what is not written is a hole. */
    public void size(long bytes) throws ErrnoException {
        // SAFETY: takes numbers only.
        Libc.call("ftruncate", SystemCall.FTRUNCATE, fd.number(), bytes);
    }

    /** Writes all that remains in a direct buffer to that place. */
    public void write(ByteBuffer direct, long offset) throws ErrnoException {
        long at = offset;
        while (direct.hasRemaining()) {
            // SAFETY: the kernel reads what remains of the buffer; a direct buffer does not move.
            long count = Libc.call(
                    "write", SystemCall.PWRITE64, fd.number(), MemorySegment.ofBuffer(direct).address(), direct.remaining(), at);
            direct.position(direct.position() + (int) count);
            at += count;
        }
    }

    @Override
    public void close() throws ErrnoException {
        fd.close();
    }
}
