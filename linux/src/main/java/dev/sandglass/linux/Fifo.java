package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Named pipes whose ends come and go without either side noticing. Stateless. */
public final class Fifo {
    private static final int S_IFIFO = 0010000;
    private static final int OWNER_ONLY = 0600;
    private static final int F_SETPIPE_SZ = 1031;
    private static final int WIDE_BYTES = 1 << 20;
    private static final int USUAL_BYTES = 1 << 16;

    private Fifo() {}

    /** Makes one that only its owner may open. */
    public static void make(Path path) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            // SAFETY: the path is NUL-terminated and lives as long as the arena.
            Libc.call(
                    "make the FIFO " + path,
                    SystemCall.MKNODAT,
                    SystemCall.AT_FDCWD,
                    Libc.text(arena, path.toString()),
                    S_IFIFO | OWNER_ONLY,
                    0);
        }
    }

    /** Opens one for reading and writing at once, so that opening never waits and reading never sees the end. */
    public static FileChannel open(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        widen(path);
        return channel;
    }

    /** Lets more be under way, as far as the host allows it: the usual room makes both sides wait for each other. Lasts while it is open. */
    private static void widen(Path path) {
        try (Fd fd = Fd.open(path, SystemCall.O_RDWR | SystemCall.O_NONBLOCK)) {
            for (int bytes = WIDE_BYTES; bytes > USUAL_BYTES; bytes /= 2) {
                if (fd.takes(F_SETPIPE_SZ, bytes)) {
                    return;
                }
            }
        } catch (ErrnoException narrow) {
            // It works with less, too.
        }
    }
}
