package dev.sandglass.linux;

import java.nio.file.Path;
import java.util.Optional;

/** The root filesystem of a process, held: it is there when the process has ended, until this is closed. Thread-safe. */
public final class ProcessRoot implements AutoCloseable {
    private final Fd fd;

    private ProcessRoot(Fd fd) {
        this.fd = fd;
    }

    /** Empty if the process is gone, or keeps others from looking. */
    public static Optional<ProcessRoot> of(long pid) {
        try {
            return Optional.of(new ProcessRoot(Fd.open(Path.of("/proc", Long.toString(pid), "root"), SystemCall.O_PATH)));
        } catch (ErrnoException gone) {
            return Optional.empty();
        }
    }

    /** Lets go of it; the last who does so of an overlay waits until all that was changed on the filesystem below it is on the disk. */
    @Override
    public void close() throws ErrnoException {
        fd.close();
    }
}
