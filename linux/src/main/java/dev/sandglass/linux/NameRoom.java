package dev.sandglass.linux;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory for names of hostile directories that one walk holds at once, within a bound of its own and one for all walks together: a sandbox may
 * put millions of files into one directory. What it has is free again when it is closed. Not thread-safe, but the bound for all is.
 */
public final class NameRoom implements AutoCloseable {
    /** What an entry takes beside its name, or a number that is kept for a file with several names. */
    public static final int EACH = 100;

    private static final long MOST_OF_ALL = Runtime.getRuntime().maxMemory() / 3;
    private static final long MOST = Math.min(128L << 20, MOST_OF_ALL / 2);
    private static final AtomicLong ALL = new AtomicLong();

    private final long most;
    private long held;

    public NameRoom() {
        this(MOST);
    }

    /** @param most bytes that this walk may hold */
    public NameRoom(long most) {
        this.most = Math.min(most, MOST);
    }

    /** Holds so many bytes more; {@code limit_reached} where that is too much. */
    public void take(long bytes) {
        held += bytes;
        long all = ALL.addAndGet(bytes);
        if (held > most) {
            throw new SandglassException(
                    ErrorCode.LIMIT_REACHED,
                    "There are more files in one directory than can be looked at: their names take more than " + (most >> 20) + " MiB.",
                    "Spread them over several directories, or keep them in one archive.");
        }
        if (all > MOST_OF_ALL) {
            throw new SandglassException(
                    ErrorCode.LIMIT_REACHED,
                    "Too many directories with very many files are being looked at.",
                    "Try again when other snapshots are done.");
        }
    }

    public long held() {
        return held;
    }

    /** Goes back to what was held before. */
    public void backTo(long before) {
        ALL.addAndGet(before - held);
        held = before;
    }

    @Override
    public void close() {
        backTo(0);
    }
}
