package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The numbers that a filesystem gives its files, one after the other as they are made; on btrfs every subvolume counts for itself. Stateless. */
public final class FileNumbers {
    private static final int O_TMPFILE = 0x400000 | SystemCall.O_DIRECTORY;
    private static final int ROUND = 1024;

    private FileNumbers() {}

    /** Lets a directory's subvolume go on counting from that number, by files without a name that are gone at once: some microseconds for each. */
    public static void skip(Path directory, long to) throws IOException {
        while (last(directory) < to) {
            for (int i = 0; i < ROUND; i++) {
                unnamed(directory).close();
            }
        }
    }

    private static long last(Path directory) throws IOException {
        try (Fd file = unnamed(directory)) {
            return (Long) Files.getAttribute(Path.of("/proc/self/fd", Integer.toString(file.number())), "unix:ino");
        }
    }

    private static Fd unnamed(Path directory) throws ErrnoException {
        return Fd.open(directory, O_TMPFILE | SystemCall.O_RDWR);
    }
}
