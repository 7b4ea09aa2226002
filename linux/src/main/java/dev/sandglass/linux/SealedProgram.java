package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A copy of a program in memory that nobody can change any more. Engines that fear to be overwritten from inside a container
 * make one of themselves at every start and start again from it; run from such a copy they see that they need not.
 *
 * @param path what to execute, as long as this process lives
 */
public record SealedProgram(Path path) {
    private static final int MFD_CLOEXEC = 1;
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int F_ADD_SEALS = 1033;
    /** No more seals, no shrinking, no growing, no writing: engines look for exactly these. */
    private static final int SEALS = 0xf;

    private interface Content {
        void write(FileChannel to) throws IOException;
    }

    /** Copies a program. The copy is never given back: somebody may be about to execute it. */
    public static SealedProgram of(Path program) throws IOException {
        return of(String.valueOf(program.getFileName()), to -> {
            try (FileChannel from = FileChannel.open(program)) {
                for (long done = 0, size = from.size(); done < size; ) {
                    long moved = from.transferTo(done, size - done, to);
                    if (moved <= 0) {
                        throw new IOException(program + " became shorter while it was copied");
                    }
                    done += moved;
                }
            }
        });
    }

    /** A script that needs no place on a disk, which may be mounted so that nothing there can be executed. Never given back either. */
    public static SealedProgram script(String name, String text) throws IOException {
        return of(name, to -> {
            for (ByteBuffer bytes = StandardCharsets.UTF_8.encode(text); bytes.hasRemaining(); ) {
                to.write(bytes);
            }
        });
    }

    private static SealedProgram of(String name, Content content) throws IOException {
        Fd fd;
        try (Arena arena = Arena.ofConfined()) {
            // SAFETY: the name is NUL-terminated and lives as long as the arena.
            fd = Fd.of(Libc.call("memfd_create", SystemCall.MEMFD_CREATE, Libc.text(arena, name), MFD_CLOEXEC | MFD_ALLOW_SEALING));
        }
        Path copy = Path.of("/proc", Long.toString(ProcessHandle.current().pid()), "fd", Integer.toString(fd.number()));
        try (FileChannel to = FileChannel.open(copy, StandardOpenOption.WRITE)) {
            content.write(to);
        } catch (IOException problem) {
            fd.close();
            throw problem;
        }
        if (!fd.takes(F_ADD_SEALS, SEALS) || !Files.isExecutable(copy)) {
            fd.close();
            throw new IOException("the host does not let a copy of " + name + " in memory be sealed and executed");
        }
        return new SealedProgram(copy);
    }
}
