package dev.sandglass.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Work on whole directory trees with hostile content: every step is relative to an open directory, follows no link and
 * enters no mount. Trees deeper than a path may be long are fine. Stateless.
 */
public final class Trees {
    /** Deeper directories are moved up before they are entered, so that descriptors and stack stay bounded. */
    private static final int DEPTH = 128;

    private static final int REMOVE_DIRECTORY = 0x200;
    private static final int NO_FOLLOW = 0x100;
    private static final int STATX_BASIC = 0x7ff;
    private static final int DIRECTORY_TYPE = 4;
    private static final int EXDEV = 18;
    private static final int BUFFER = 32 * 1024;

    private record Entry(MemorySegment name, boolean isDirectory) {}

    private Trees() {}

    /** Removes everything in the directory, and the directory itself. Fails with EXDEV or EBUSY at a mount. */
    public static void remove(Path directory) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd parent = Fd.directory(parentOf(directory))) {
            MemorySegment name = arena.allocateFrom(String.valueOf(directory.getFileName()));
            removeTree(parent, name);
        }
    }

    /** Bytes on disk of everything in the directory, hard links counted once; mounts are left out. */
    public static long usedBytes(Path directory) throws ErrnoException {
        try (Fd top = Fd.directory(directory)) {
            return usedBytes(top, new HashSet<>(), 0);
        }
    }

    /** Waits until the filesystem of the path has written out what it holds. */
    public static void sync(Path path) throws ErrnoException {
        try (Fd fd = Fd.directory(path)) {
            // SAFETY: takes a descriptor only.
            Libc.call("syncfs " + path, SystemCall.SYNCFS, fd.number());
        }
    }

    private static void removeTree(Fd parent, MemorySegment name) throws ErrnoException {
        // What was too deep is moved to the top directory, perhaps with more that is too deep in it: go over it again.
        int[] moved = {0};
        for (int before = -1; before != moved[0]; ) {
            before = moved[0];
            try (Fd top = parent.child(name)) {
                removeContent(top, top, 0, moved);
            }
        }
        unlink(parent, name, REMOVE_DIRECTORY);
    }

    private static void removeContent(Fd top, Fd directory, int depth, int[] moved) throws ErrnoException {
        while (true) {
            try (Arena arena = Arena.ofConfined()) {
                List<Entry> batch = list(arena, directory);
                if (batch.isEmpty()) {
                    return;
                }
                for (Entry entry : batch) {
                    if (!entry.isDirectory()) {
                        unlink(directory, entry.name(), 0);
                    } else if (depth >= DEPTH) {
                        moveUp(arena, directory, entry.name(), top, moved);
                    } else {
                        try (Fd child = directory.child(entry.name())) {
                            removeContent(top, child, depth + 1, moved);
                        }
                        unlink(directory, entry.name(), REMOVE_DIRECTORY);
                    }
                }
            }
        }
    }

    private static void moveUp(Arena arena, Fd directory, MemorySegment name, Fd top, int[] moved)
            throws ErrnoException {
        while (true) {
            MemorySegment free = arena.allocateFrom(".deep-" + moved[0]++);
            try {
                // SAFETY: both names are NUL-terminated and live as long as the arena; RENAME_NOREPLACE (1).
                Libc.call(
                        "rename", SystemCall.RENAMEAT2, directory.number(), name.address(), top.number(), free.address(), 1);
                return;
            } catch (ErrnoException problem) {
                if (problem.errno() != Libc.EEXIST) {
                    throw problem;
                }
            }
        }
    }

    private static long usedBytes(Fd directory, Set<Long> seen, int depth) throws ErrnoException {
        long sum = 0;
        while (true) {
            try (Arena arena = Arena.ofConfined()) {
                List<Entry> batch = list(arena, directory);
                if (batch.isEmpty()) {
                    return sum;
                }
                for (Entry entry : batch) {
                    sum += usedBytes(arena, directory, entry, seen);
                    if (entry.isDirectory() && depth < DEPTH) {
                        sum += usedBytesBelow(directory, entry, seen, depth);
                    }
                }
            }
        }
    }

    private static long usedBytesBelow(Fd directory, Entry entry, Set<Long> seen, int depth) throws ErrnoException {
        try (Fd child = directory.child(entry.name())) {
            return usedBytes(child, seen, depth + 1);
        } catch (ErrnoException problem) {
            if (problem.errno() == Libc.ENOENT || problem.errno() == EXDEV) {
                return 0;
            }
            throw problem;
        }
    }

    private static long usedBytes(Arena arena, Fd directory, Entry entry, Set<Long> seen) throws ErrnoException {
        MemorySegment statx = arena.allocate(256, 8);
        // SAFETY: the name is NUL-terminated, struct statx has 256 bytes; both live as long as the arena.
        Libc.call(
                "statx",
                SystemCall.STATX,
                directory.number(),
                entry.name().address(),
                NO_FOLLOW,
                STATX_BASIC,
                statx.address());
        boolean isLinkedAgain = statx.get(ValueLayout.JAVA_INT, 16) > 1
                && !entry.isDirectory()
                && !seen.add(statx.get(ValueLayout.JAVA_LONG, 32));
        return isLinkedAgain ? 0 : 512 * statx.get(ValueLayout.JAVA_LONG, 48);
    }

    /** The next entries of an open directory, as many as fit the buffer; none at the end. */
    private static List<Entry> list(Arena arena, Fd directory) throws ErrnoException {
        MemorySegment buffer = arena.allocate(BUFFER, 8);
        List<Entry> entries = new ArrayList<>();
        while (entries.isEmpty()) {
            // SAFETY: the kernel writes whole linux_dirent64 records, at most BUFFER bytes of them.
            int filled = (int) Libc.call(
                    "getdents64", SystemCall.GETDENTS64, directory.number(), buffer.address(), buffer.byteSize());
            if (filled == 0) {
                break;
            }
            for (int offset = 0; offset < filled; ) {
                int length = Short.toUnsignedInt(buffer.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset + 16));
                MemorySegment name = buffer.asSlice(offset + 19, length - 19);
                if (!isDots(name)) {
                    boolean isDirectory = buffer.get(ValueLayout.JAVA_BYTE, offset + 18) == DIRECTORY_TYPE;
                    entries.add(new Entry(name, isDirectory));
                }
                offset += length;
            }
        }
        return entries;
    }

    private static boolean isDots(MemorySegment name) {
        byte[] start = name.asSlice(0, Math.min(3, name.byteSize())).toArray(ValueLayout.JAVA_BYTE);
        String text = new String(start, StandardCharsets.ISO_8859_1);
        return text.startsWith(".\0") || text.startsWith("..\0");
    }

    private static void unlink(Fd directory, MemorySegment name, int flags) throws ErrnoException {
        try {
            // SAFETY: the name is NUL-terminated and outlives the call.
            Libc.call("unlink", SystemCall.UNLINKAT, directory.number(), name.address(), flags);
        } catch (ErrnoException problem) {
            if (problem.errno() != Libc.ENOENT) {
                throw problem;
            }
        }
    }

    private static Path parentOf(Path directory) {
        Path parent = directory.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException("directory: " + directory + " (expected: one with a parent)");
        }
        return parent;
    }
}
