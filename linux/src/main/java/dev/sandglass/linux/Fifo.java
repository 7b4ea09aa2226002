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

    private Fifo() {}

    /** Makes one that only its owner may open. */
    public static void make(Path path) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            // SAFETY: the path is NUL-terminated and lives as long as the arena.
            Libc.call(
                    "make the FIFO " + path,
                    IsolationCall.MKNODAT,
                    StorageCall.AT_FDCWD,
                    Libc.text(arena, path.toString()),
                    S_IFIFO | OWNER_ONLY,
                    0);
        }
    }

    /** Opens one for reading and writing at once, so that opening never waits and reading never sees the end. */
    public static FileChannel open(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }
}
