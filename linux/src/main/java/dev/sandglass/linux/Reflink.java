package dev.sandglass.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether files of a directory can share their data ({@code ioctl FICLONE}). */
public final class Reflink {
    private static final long FICLONE = 0x40049409L;

    private Reflink() {}

    /** Tries it with two small files, which are gone afterwards. */
    public static boolean worksIn(Path directory) throws IOException {
        Path source = Files.createTempFile(directory, ".reflink-", "");
        Path target = Files.createTempFile(directory, ".reflink-", "");
        try {
            Files.write(source, new byte[4096]);
            clone(source, target);
            return true;
        } catch (ErrnoException notHere) {
            return false;
        } finally {
            Files.deleteIfExists(source);
            Files.deleteIfExists(target);
        }
    }

    private static void clone(Path source, Path target) throws ErrnoException {
        try (Fd from = Fd.open(source, SystemCall.O_RDONLY);
                Fd to = Fd.open(target, SystemCall.O_RDWR)) {
            to.ioctl("clone", FICLONE, from.number());
        }
    }
}
