package dev.sandglass.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/** A file descriptor of our own, closed on exec. */
final class Fd implements AutoCloseable {
    private static final long RESOLVE_NO_XDEV = 0x01;
    private static final long RESOLVE_NO_MAGIC_LINKS = 0x02;
    private static final long RESOLVE_NO_SYMLINKS = 0x04;
    private static final long RESOLVE_BENEATH = 0x08;
    private static final long RESOLVE_IN_ROOT = 0x10;
    private static final long AT_EMPTY_PATH = 0x1000;
    private static final long STATX_MNT_ID = 0x1000;
    private static final long MOUNT_OFFSET = 144;

    private final int number;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Fd(long number) {
        this.number = (int) number;
    }

    int number() {
        return number;
    }

    /** Takes over a descriptor that a system call returned. */
    static Fd of(long number) {
        return new Fd(number);
    }

    static Fd open(Path path, int flags) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            // SAFETY: the path is a NUL-terminated text that lives as long as the arena.
            return new Fd(Libc.call(
                    "open " + path,
                    SystemCall.OPENAT,
                    SystemCall.AT_FDCWD,
                    Libc.text(arena, path.toString()),
                    flags | SystemCall.O_CLOEXEC,
                    0));
        }
    }

    static Fd directory(Path path) throws ErrnoException {
        return open(path, SystemCall.O_RDONLY | SystemCall.O_DIRECTORY);
    }

    /** Opens the directory of that name in this one: no link is followed and no mount entered (EXDEV). */
    Fd child(MemorySegment name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment how = arena.allocate(24, 8);
            int flags = SystemCall.O_RDONLY | SystemCall.O_DIRECTORY | SystemCall.O_NOFOLLOW | SystemCall.O_CLOEXEC;
            how.set(ValueLayout.JAVA_LONG, 0, flags);
            how.set(ValueLayout.JAVA_LONG, 16, RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
            // SAFETY: name is NUL-terminated and outlives the call, `how` is the 24 bytes of struct open_how.
            return new Fd(Libc.call(
                    "openat2", SystemCall.OPENAT2, number, name.address(), how.address(), how.byteSize()));
        }
    }

    /** Opens a directory as who has this one for a root: links lead nowhere else, and those of the kernel's own nowhere. */
    Fd inRoot(String path) throws ErrnoException {
        return resolved(path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGIC_LINKS);
    }

    /** The same, but that there may be no link on the way. */
    Fd inRootWithoutLinks(String path) throws ErrnoException {
        return resolved(path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGIC_LINKS | RESOLVE_NO_SYMLINKS);
    }

    private Fd resolved(String path, long rules) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment how = arena.allocate(24, 8);
            how.set(ValueLayout.JAVA_LONG, 0, SystemCall.O_PATH | SystemCall.O_DIRECTORY | SystemCall.O_CLOEXEC);
            how.set(ValueLayout.JAVA_LONG, 16, rules);
            // SAFETY: the path is NUL-terminated, `how` is the 24 bytes of struct open_how; both live as long as the arena.
            return new Fd(Libc.call("open " + path, SystemCall.OPENAT2, number, Libc.text(arena, path), how.address(), how.byteSize()));
        }
    }

    /** The number of the mount in which this lies; no other has it as long as this is open. */
    long mount() throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statx = arena.allocate(FileFacts.BYTES, 8);
            // SAFETY: the empty text and struct statx with its 256 bytes live as long as the arena.
            Libc.call("statx", SystemCall.STATX, number, Libc.text(arena, ""), AT_EMPTY_PATH, STATX_MNT_ID, statx.address());
            return statx.get(ValueLayout.JAVA_LONG, MOUNT_OFFSET);
        }
    }

    long ioctl(String name, long request, MemorySegment argument) throws ErrnoException {
        // SAFETY: the caller gives a buffer of the size that the request's number carries.
        return Libc.call(name, SystemCall.IOCTL, number, request, argument.address());
    }

    long ioctl(String name, long request, long word) throws ErrnoException {
        // SAFETY: only for requests that take a plain word.
        return Libc.call(name, SystemCall.IOCTL, number, request, word);
    }

    /** Whether the kernel agrees to this {@code fcntl} with a plain word. */
    boolean takes(int command, long word) {
        try {
            // SAFETY: only for commands that take a plain word.
            Libc.call("fcntl", SystemCall.FCNTL, number, command, word);
            return true;
        } catch (ErrnoException refused) {
            return false;
        }
    }

    /** Once: by the second time the number may be that of somebody else's file. */
    @Override
    public void close() throws ErrnoException {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        // SAFETY: the number is ours and closed once.
        Libc.call("close", SystemCall.CLOSE, number);
    }
}
