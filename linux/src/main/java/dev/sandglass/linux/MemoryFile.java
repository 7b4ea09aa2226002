package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Files on tmpfs, whose memory is charged to the control group of whoever first puts a page there: reserving it means paying for it,
 * so that somebody with little memory can write there. Stateless.
 */
public final class MemoryFile {
    private static final long MAGIC = 0x01021994L;
    private static final long KEEP_SIZE = 1;
    private static final long BLOCK = 512;

    private MemoryFile() {}

    /** Whether the path is on tmpfs. */
    public static boolean isOn(Path path) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statfs = arena.allocate(120, 8);
            // SAFETY: struct statfs has 120 bytes on 64-bit machines; both buffers live as long as the arena.
            Libc.call("statfs " + path, SystemCall.STATFS, Libc.text(arena, path.toString()), statfs.address());
            return statfs.get(ValueLayout.JAVA_LONG, 0) == MAGIC;
        }
    }

    /**
     * Takes the memory for so many bytes of a file, whose size stays as it is: all or none of what it has not yet. For a file that nothing
     * was written to: what it has is taken to be its beginning.
     */
    public static void reserve(Path file, long bytes) throws ErrnoException {
        try (Fd fd = Fd.open(file, SystemCall.O_RDWR);
                OpenDirectory parent = OpenDirectory.of(Objects.requireNonNull(file.getParent()))) {
            long has = parent.facts(String.valueOf(file.getFileName()).getBytes(StandardCharsets.UTF_8)).blocks() * BLOCK;
            if (has < bytes) {
                // SAFETY: takes numbers only.
                Libc.call("reserve " + bytes + " bytes for " + file, SystemCall.FALLOCATE, fd.number(), KEEP_SIZE, has, bytes - has);
            }
        }
    }

    /** Gives back what was reserved beyond the file's end. */
    public static void trim(Path file) throws IOException {
        try (Fd fd = Fd.open(file, SystemCall.O_RDWR)) {
            // SAFETY: takes numbers only.
            Libc.call("trim " + file, SystemCall.FTRUNCATE, fd.number(), Files.size(file));
        }
    }
}
