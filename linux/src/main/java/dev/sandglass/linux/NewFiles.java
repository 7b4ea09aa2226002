package dev.sandglass.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Makes files of every type in an open directory that nobody else uses. An entry that is there already is an error. Stateless. */
public final class NewFiles {
    private static final long FICLONE = 0x40049409L;
    private static final int O_WRONLY = 1;
    private static final int O_CREAT = 0x40;
    private static final int O_EXCL = 0x80;
    private static final int NO_FOLLOW = 0x100;
    private static final int EXDEV = 18;
    private static final int ENOTTY = 25;
    private static final int EOPNOTSUPP = 95;

    private NewFiles() {}

    public static OpenDirectory directory(OpenDirectory in, byte[] name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = OpenDirectory.text(arena, name);
            // SAFETY: here and below names are NUL-terminated and live as long as the arena.
            Libc.call("mkdir", SystemCall.MKDIRAT, in.fd().number(), text.address(), 0700);
            return in.child(name);
        }
    }

    public static void symbolicLink(OpenDirectory in, byte[] name, byte[] target) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            Libc.call(
                    "symlink",
                    SystemCall.SYMLINKAT,
                    OpenDirectory.text(arena, target).address(),
                    in.fd().number(),
                    OpenDirectory.text(arena, name).address());
        }
    }

    /** Removes what is no directory. */
    public static void remove(OpenDirectory in, byte[] name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            Libc.call("unlink", SystemCall.UNLINKAT, in.fd().number(), OpenDirectory.text(arena, name).address(), 0);
        }
    }

    /** A device, fifo or socket. */
    public static void node(OpenDirectory in, byte[] name, FileFacts like) throws ErrnoException {
        long device = (like.minor() & 0xffL) | (long) like.major() << 8 | (like.minor() & ~0xffL) << 12;
        try (Arena arena = Arena.ofConfined()) {
            Libc.call(
                    "mknod",
                    SystemCall.MKNODAT,
                    in.fd().number(),
                    OpenDirectory.text(arena, name).address(),
                    like.type() | 0600,
                    device);
        }
    }

    /** Gives a file one more name; false when the first is not there. */
    public static boolean hardLink(OpenDirectory from, byte[] first, OpenDirectory in, byte[] name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            Libc.call(
                    "link",
                    SystemCall.LINKAT,
                    from.fd().number(),
                    OpenDirectory.text(arena, first).address(),
                    in.fd().number(),
                    OpenDirectory.text(arena, name).address(),
                    0);
            return true;
        } catch (ErrnoException problem) {
            if (problem.errno() == Libc.ENOENT) {
                return false;
            }
            throw problem;
        }
    }

    /** A regular file with the content of another: shared where the filesystem can, else copied, holes left out. */
    public static void copy(OpenFile from, long size, OpenDirectory in, byte[] name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd to = create(in, name)) {
            if (size > 0 && !isShared(from.fd(), to)) {
                // SAFETY: takes numbers only.
                Libc.call("ftruncate", SystemCall.FTRUNCATE, to.number(), size);
                copyData(arena, from, to, size);
            }
        }
    }

    /** An empty regular file, to be written. */
    public static NewFile file(OpenDirectory in, byte[] name) throws ErrnoException {
        return new NewFile(create(in, name));
    }

    private static Fd create(OpenDirectory in, byte[] name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            return Fd.of(Libc.call(
                    "create",
                    SystemCall.OPENAT,
                    in.fd().number(),
                    OpenDirectory.text(arena, name).address(),
                    O_WRONLY | O_CREAT | O_EXCL | SystemCall.O_NOFOLLOW | SystemCall.O_CLOEXEC,
                    0600));
        }
    }

    private static boolean isShared(Fd from, Fd to) throws ErrnoException {
        try {
            to.ioctl("clone", FICLONE, from.number());
            return true;
        } catch (ErrnoException problem) {
            return switch (problem.errno()) {
                case Libc.EINVAL, EXDEV, ENOTTY, EOPNOTSUPP -> false;
                default -> throw problem;
            };
        }
    }

    private static void copyData(Arena arena, OpenFile from, Fd to, long size) throws ErrnoException {
        MemorySegment offsets = arena.allocate(16, 8);
        long at = from.data(0);
        while (at >= 0 && at < size) {
            long end = Math.min(size, from.hole(at));
            offsets.set(ValueLayout.JAVA_LONG, 0, at);
            offsets.set(ValueLayout.JAVA_LONG, 8, at);
            // SAFETY: two offsets of 8 bytes each, which the kernel moves on.
            long count = Libc.call(
                    "copy_file_range",
                    SystemCall.COPY_FILE_RANGE,
                    from.fd().number(),
                    offsets.address(),
                    to.number(),
                    offsets.address() + 8,
                    end - at,
                    0);
            if (count == 0) {
                return; // the file is shorter than it was
            }
            at = from.data(at + count);
        }
    }

    /** Gives an entry owner, mode, attributes and time, in the order in which none undoes another. */
    public static void dress(OpenDirectory in, byte[] name, FileFacts facts, List<ExtendedAttribute> attributes)
            throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            int directory = in.fd().number();
            long text = OpenDirectory.text(arena, name).address();
            Libc.call("chown", SystemCall.FCHOWNAT, directory, text, facts.uid(), facts.gid(), NO_FOLLOW);
            if (facts.type() != FileFacts.LINK) {
                // The entry was made just now and is no link, so there is none to follow.
                Libc.call("chmod", SystemCall.FCHMODAT, directory, text, facts.mode() & 07777);
            }
            if (!attributes.isEmpty()) {
                in.set(name, attributes);
            }
            MemorySegment times = arena.allocate(32, 8);
            times.set(ValueLayout.JAVA_LONG, 0, facts.modifiedSeconds());
            times.set(ValueLayout.JAVA_LONG, 8, facts.modifiedNanos());
            times.set(ValueLayout.JAVA_LONG, 16, facts.modifiedSeconds());
            times.set(ValueLayout.JAVA_LONG, 24, facts.modifiedNanos());
            // SAFETY: two struct timespec of 16 bytes.
            Libc.call("utimensat", SystemCall.UTIMENSAT, directory, text, times.address(), NO_FOLLOW);
        }
    }
}
