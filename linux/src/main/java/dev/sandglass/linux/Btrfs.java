package dev.sandglass.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Subvolumes of btrfs by ioctl: made, copied, sealed and destroyed without a process. Stateless. */
public final class Btrfs {
    private static final long MAGIC = 0x9123683EL;
    private static final long ROOT_TREE = 1;
    private static final int ROOT_ITEM_KEY = 132;
    private static final int ROOT_BACKREF_KEY = 144;
    private static final int ROOT_REF_KEY = 156;
    private static final long READ_ONLY = 1 << 1;
    private static final long BY_ID = 1 << 4;
    private static final int NAME_LIMIT = 255;

    private static final long SUBVOL_CREATE = write(14, 4096);
    private static final long TREE_SEARCH = readWrite(17, 4096);
    private static final long SNAP_CREATE_V2 = write(23, 4096);
    private static final long START_SYNC = read(24, 8);
    private static final long SUBVOL_GETFLAGS = read(25, 8);
    private static final long SUBVOL_SETFLAGS = write(26, 8);
    private static final long FS_INFO = read(31, 1024);
    private static final long SNAP_DESTROY_V2 = write(63, 4096);

    private Btrfs() {}

    /** Whether the path is on a btrfs. */
    public static boolean isOn(Path path) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statfs = arena.allocate(120, 8);
            // SAFETY: struct statfs has 120 bytes on 64-bit machines; both buffers live as long as the arena.
            Libc.call("statfs " + path, SystemCall.STATFS, Libc.text(arena, path.toString()), statfs.address());
            return statfs.get(ValueLayout.JAVA_LONG, 0) == MAGIC;
        }
    }

    public static void create(Path directory, String name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd parent = Fd.directory(directory)) {
            MemorySegment arguments = arena.allocate(4096, 8);
            putName(arguments, 8, name);
            parent.ioctl("btrfs: create " + name, SUBVOL_CREATE, arguments);
        }
    }

    /** Makes a writable copy of a subvolume that shares all its data. */
    public static void snapshot(Path source, Path directory, String name) throws ErrnoException {
        snapshot(source, directory, name, 0);
    }

    /** Makes a copy that nobody can change. Writes out what the source holds in memory first; on disk when it returns. */
    public static void freeze(Path source, Path directory, String name) throws ErrnoException {
        snapshot(source, directory, name, READ_ONLY);
    }

    private static void snapshot(Path source, Path directory, String name, long flags) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd from = Fd.directory(source);
                Fd parent = Fd.directory(directory)) {
            MemorySegment arguments = arena.allocate(4096, 8);
            arguments.set(ValueLayout.JAVA_LONG, 0, from.number());
            arguments.set(ValueLayout.JAVA_LONG, 16, flags);
            putName(arguments, 56, name);
            parent.ioctl("btrfs: snapshot " + name, SNAP_CREATE_V2, arguments);
        }
    }

    /** Destroys one subvolume; fails with ENOTEMPTY while others are nested in it. Its space comes back later. */
    public static void destroy(Path directory, String name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd parent = Fd.directory(directory)) {
            MemorySegment arguments = arena.allocate(4096, 8);
            putName(arguments, 56, name);
            parent.ioctl("btrfs: destroy " + name, SNAP_DESTROY_V2, arguments);
        }
    }

    /** Destroys a subvolume wherever it is on the filesystem. */
    public static void destroy(Path anywhere, long id) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.directory(anywhere)) {
            MemorySegment arguments = arena.allocate(4096, 8);
            arguments.set(ValueLayout.JAVA_LONG, 16, BY_ID);
            arguments.set(ValueLayout.JAVA_LONG, 56, id);
            fd.ioctl("btrfs: destroy subvolume " + id, SNAP_DESTROY_V2, arguments);
        }
    }

    /** The ids of the subvolumes that lie directly in one; the first few of them if there are many. */
    public static List<Long> nested(Path anywhere, long id) throws ErrnoException {
        return search(anywhere, id, ROOT_REF_KEY);
    }

    /** Whether there is a subvolume with that id; a destroyed one is there until its space is free. */
    public static boolean exists(Path anywhere, long id) throws ErrnoException {
        return !search(anywhere, id, ROOT_ITEM_KEY).isEmpty();
    }

    /** Whether there is a subvolume with that id that has a place in another: a destroyed one has lost it at once. */
    public static boolean isPlaced(Path anywhere, long id) throws ErrnoException {
        return !search(anywhere, id, ROOT_BACKREF_KEY).isEmpty();
    }

    /** The offsets of the items with that object and type in the tree of trees, as far as they fit one answer. */
    private static List<Long> search(Path anywhere, long object, int type) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.directory(anywhere)) {
            MemorySegment search = arena.allocate(4096, 8);
            search.set(ValueLayout.JAVA_LONG, 0, ROOT_TREE);
            search.set(ValueLayout.JAVA_LONG, 8, object);
            search.set(ValueLayout.JAVA_LONG, 16, object);
            search.set(ValueLayout.JAVA_LONG, 32, -1);
            search.set(ValueLayout.JAVA_LONG, 48, -1);
            search.set(ValueLayout.JAVA_INT, 56, type);
            search.set(ValueLayout.JAVA_INT, 60, type);
            search.set(ValueLayout.JAVA_INT, 64, 128);
            fd.ioctl("btrfs: search", TREE_SEARCH, search);
            List<Long> offsets = new ArrayList<>();
            long item = 104;
            for (int left = search.get(ValueLayout.JAVA_INT, 64); left > 0; left--) {
                offsets.add(search.get(ValueLayout.JAVA_LONG_UNALIGNED, item + 16));
                item += 32 + Integer.toUnsignedLong(search.get(ValueLayout.JAVA_INT_UNALIGNED, item + 28));
            }
            return offsets;
        }
    }

    /** The id of the subvolume that the path lies in. */
    public static long id(Path path) throws ErrnoException {
        return Subvolume.of(path).id();
    }

    public static boolean isReadOnly(Path subvolume) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.directory(subvolume)) {
            MemorySegment flags = arena.allocate(8, 8);
            fd.ioctl("btrfs: get flags", SUBVOL_GETFLAGS, flags);
            return (flags.get(ValueLayout.JAVA_LONG, 0) & READ_ONLY) != 0;
        }
    }

    public static void setReadOnly(Path subvolume, boolean readOnly) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.directory(subvolume)) {
            MemorySegment flags = arena.allocate(8, 8);
            flags.set(ValueLayout.JAVA_LONG, 0, readOnly ? READ_ONLY : 0);
            fd.ioctl("btrfs: set flags", SUBVOL_SETFLAGS, flags);
        }
    }

    /** The id of the filesystem, as its directory in /sys/fs/btrfs is named. */
    public static String filesystemId(Path path) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.directory(path)) {
            MemorySegment info = arena.allocate(1024, 8);
            fd.ioctl("btrfs: filesystem info", FS_INFO, info);
            ValueLayout.OfLong bigEndian = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
            return new UUID(info.get(bigEndian, 16), info.get(bigEndian, 24)).toString();
        }
    }

    /** Begins to write out the running transaction without waiting for it; destroyed subvolumes are freed after that. */
    public static void startCommit(Path path) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.directory(path)) {
            fd.ioctl("btrfs: start sync", START_SYNC, arena.allocate(8, 8));
        }
    }

    private static void putName(MemorySegment arguments, long offset, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > NAME_LIMIT) {
            throw new IllegalArgumentException("name: " + bytes.length + " bytes (expected: <= " + NAME_LIMIT + ")");
        }
        MemorySegment.copy(bytes, 0, arguments, ValueLayout.JAVA_BYTE, offset, bytes.length);
    }

    static long write(int number, int size) {
        return request(1, number, size);
    }

    static long read(int number, int size) {
        return request(2, number, size);
    }

    static long readWrite(int number, int size) {
        return request(3, number, size);
    }

    private static long request(long direction, int number, int size) {
        return direction << 30 | (long) size << 16 | 0x94 << 8 | number;
    }
}
