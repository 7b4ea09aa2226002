package dev.sandglass.linux;

import java.io.IOException;

/** A system call that failed, with its errno. */
public final class ErrnoException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    public ErrnoException(String call, int errno) {
        super(call + ": " + Libc.errorText(errno) + " (errno " + errno + ")");
        this.errno = errno;
    }

    public int errno() {
        return errno;
    }

    /** Whether somebody uses what was to go. */
    public boolean isBusy() {
        return errno == Libc.EBUSY;
    }

    /** Whether the call made no sense there, such as to unmount what is not mounted. */
    public boolean isInvalid() {
        return errno == Libc.EINVAL;
    }

    /** Whether there was no room for what was to be written. */
    public boolean isNoRoom() {
        return errno == Libc.ENOSPC;
    }
}
