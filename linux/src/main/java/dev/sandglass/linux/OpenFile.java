package dev.sandglass.linux;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** A regular file of a tree with hostile content, open for reading. Not thread-safe. */
public final class OpenFile implements AutoCloseable {
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final int ENXIO = 6;

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

    /** Fills a direct buffer from its start with what lies there, at most so many bytes, and makes it ready to be taken from. */
    public ByteBuffer read(ByteBuffer direct, long offset, long most) throws ErrnoException {
        direct.clear();
        // SAFETY: the kernel writes at most the buffer's capacity; a direct buffer does not move.
        long count = Libc.call(
                "read", SystemCall.PREAD64, fd.number(), MemorySegment.ofBuffer(direct).address(), Math.min(most, direct.capacity()), offset);
        return direct.limit((int) count);
    }

    /** Where data begins, from there on; -1 behind the last. */
    public long data(long offset) throws ErrnoException {
        return seek(offset, SEEK_DATA);
    }

    /** Where a hole begins, from there on; the end of a file counts as one. */
    public long hole(long offset) throws ErrnoException {
        return seek(offset, SEEK_HOLE);
    }

    private long seek(long offset, int what) throws ErrnoException {
        try {
            // SAFETY: takes numbers only.
            return Libc.call("lseek", SystemCall.LSEEK, fd.number(), offset, what);
        } catch (ErrnoException problem) {
            if (problem.errno() == ENXIO) {
                return -1;
            }
            throw problem;
        }
    }

    @Override
    public void close() throws ErrnoException {
        fd.close();
    }
}
