package dev.sandglass.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An open directory of a tree with hostile content. Names are bytes; no name leads through a link or into a mount. For trees
 * that nobody else changes meanwhile. Not thread-safe.
 */
public final class OpenDirectory implements AutoCloseable {
    private static final int EMPTY_PATH = 0x1000;
    private static final int NO_FOLLOW = 0x100;
    private static final int BUFFER = 32 * 1024;
    private static final int TARGET_LIMIT = 4096;
    /** From a directory entry's type to a mode's. */
    private static final int TYPE_SHIFT = 12;

    private final Fd fd;

    OpenDirectory(Fd fd) {
        this.fd = fd;
    }

    public static OpenDirectory of(Path path) throws ErrnoException {
        return new OpenDirectory(Fd.open(path, SystemCall.O_RDONLY | SystemCall.O_DIRECTORY | SystemCall.O_NOFOLLOW));
    }

    Fd fd() {
        return fd;
    }

    public OpenDirectory child(byte[] name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            return new OpenDirectory(fd.child(text(arena, name)));
        }
    }

    /** The directory above, which must be the one that has this inode number. */
    public OpenDirectory parent(long inode) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            OpenDirectory parent = new OpenDirectory(Fd.of(openAt(
                    text(arena, "..".getBytes(StandardCharsets.US_ASCII)),
                    SystemCall.O_RDONLY | SystemCall.O_DIRECTORY | SystemCall.O_NOFOLLOW)));
            try {
                if (parent.facts().inode() != inode) {
                    throw new ErrnoException("open ..", Libc.ENOENT);
                }
                return parent;
            } catch (ErrnoException problem) {
                parent.close();
                throw problem;
            }
        }
    }

    /** All names but the dots, in the order of their bytes, as far as there is room for them. */
    public List<byte[]> names(NameRoom room) throws ErrnoException {
        return entries(room).stream().map(DirectoryEntry::name).toList();
    }

    /** All entries but the dots, in the order of their names' bytes, as far as there is room for them. */
    public List<DirectoryEntry> entries(NameRoom room) throws ErrnoException {
        List<DirectoryEntry> entries = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(BUFFER, 8);
            // SAFETY: takes numbers only. From the start, should this be called twice.
            Libc.call("lseek", SystemCall.LSEEK, fd.number(), 0, 0);
            while (true) {
                // SAFETY: the kernel writes whole linux_dirent64 records, at most BUFFER bytes of them.
                long filled = Libc.call("getdents64", SystemCall.GETDENTS64, fd.number(), buffer.address(), BUFFER);
                if (filled == 0) {
                    break;
                }
                for (long offset = 0; offset < filled; ) {
                    int length = Short.toUnsignedInt(buffer.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset + 16));
                    byte[] name = name(buffer, offset + 19, offset + length);
                    if (!isDots(name)) {
                        room.take(NameRoom.EACH + name.length);
                        int type = buffer.get(ValueLayout.JAVA_BYTE, offset + 18) << TYPE_SHIFT;
                        entries.add(new DirectoryEntry(name, buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, offset), type));
                    }
                    offset += length;
                }
            }
        }
        entries.sort((one, other) -> Arrays.compareUnsigned(one.name(), other.name()));
        return entries;
    }

    private static byte[] name(MemorySegment buffer, long from, long to) {
        long end = from;
        while (end < to && buffer.get(ValueLayout.JAVA_BYTE, end) != 0) {
            end++;
        }
        return buffer.asSlice(from, end - from).toArray(ValueLayout.JAVA_BYTE);
    }

    private static boolean isDots(byte[] name) {
        return name[0] == '.' && (name.length == 1 || (name.length == 2 && name[1] == '.'));
    }

    public FileFacts facts(byte[] name) throws ErrnoException {
        return statx(name, NO_FOLLOW);
    }

    /** As {@link #facts(byte[])}; empty if there is no such entry. */
    public Optional<FileFacts> find(byte[] name) throws ErrnoException {
        try {
            return Optional.of(facts(name));
        } catch (ErrnoException problem) {
            if (problem.errno() == Libc.ENOENT) {
                return Optional.empty();
            }
            throw problem;
        }
    }

    /** Of the directory itself. */
    public FileFacts facts() throws ErrnoException {
        return statx(new byte[0], EMPTY_PATH);
    }

    private FileFacts statx(byte[] name, int flags) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statx = arena.allocate(FileFacts.BYTES, 8);
            // SAFETY: the name is NUL-terminated, struct statx has 256 bytes; both live as long as the arena.
            Libc.call(
                    "statx", SystemCall.STATX, fd.number(), text(arena, name).address(), flags, FileFacts.BASIC, statx.address());
            return FileFacts.of(statx);
        }
    }

    /** Opens a regular file for reading; whoever asks knows from its facts that it is one. */
    public OpenFile file(byte[] name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            return new OpenFile(Fd.of(openAt(text(arena, name), SystemCall.O_RDONLY | SystemCall.O_NOFOLLOW | SystemCall.O_NONBLOCK)));
        }
    }

    public byte[] linkTarget(byte[] name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(TARGET_LIMIT);
            // SAFETY: the name is NUL-terminated, the kernel writes at most TARGET_LIMIT bytes.
            long length = Libc.call(
                    "readlink", SystemCall.READLINKAT, fd.number(), text(arena, name).address(), target.address(), TARGET_LIMIT);
            return target.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** The extended attributes of an entry of any type; of a link its own. */
    public List<ExtendedAttribute> attributes(byte[] name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd entry = Fd.of(openAt(text(arena, name), SystemCall.O_PATH | SystemCall.O_NOFOLLOW))) {
            return ExtendedAttribute.of(entry);
        }
    }

    /** The extended attributes of the directory itself. */
    public List<ExtendedAttribute> attributes() throws ErrnoException {
        return ExtendedAttribute.of(fd);
    }

    /** Gives an entry extended attributes. */
    void set(byte[] name, List<ExtendedAttribute> attributes) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd entry = Fd.of(openAt(text(arena, name), SystemCall.O_PATH | SystemCall.O_NOFOLLOW))) {
            for (ExtendedAttribute attribute : attributes) {
                attribute.set(entry);
            }
        }
    }

    private long openAt(MemorySegment name, int flags) throws ErrnoException {
        // SAFETY: the name is NUL-terminated and outlives the call.
        return Libc.call("open", SystemCall.OPENAT, fd.number(), name.address(), flags | SystemCall.O_CLOEXEC, 0);
    }

    static MemorySegment text(Arena arena, byte[] name) {
        MemorySegment text = arena.allocate(name.length + 1);
        MemorySegment.copy(name, 0, text, ValueLayout.JAVA_BYTE, 0, name.length);
        return text;
    }

    @Override
    public void close() throws ErrnoException {
        fd.close();
    }
}
