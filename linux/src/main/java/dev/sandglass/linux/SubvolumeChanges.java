package dev.sandglass.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What changed in a subvolume after a transaction, as far as it is on disk. Found in the time of the change, not of the
 * subvolume: the filesystem leaves out what is older. No clock is involved. Immutable.
 */
public final class SubvolumeChanges {
    private static final long TREE_SEARCH_V2 = Btrfs.readWrite(17, 112);
    private static final int KEY = 104;
    private static final int BUFFER = 256 * 1024;
    private static final int HEADER = 32;
    private static final int INODE_ITEM = 1;
    private static final int EXTENT_DATA = 108;
    private static final int INLINE = 0;
    private static final long FIRST_INODE = 256;
    private static final long LAST_INODE = -257;
    /** Beyond this it is not known which: all count as changed. */
    private static final int MOST_INODES = 1 << 22;

    private final long after;
    private long[] inodes = new long[16];
    private int count;
    private long bytes;

    private SubvolumeChanges(long after) {
        this.after = after;
    }

    /** All changes of transactions later than this one; 0 for everything there is. */
    public static SubvolumeChanges after(long transaction, Path subvolume) throws ErrnoException {
        SubvolumeChanges changes = new SubvolumeChanges(transaction);
        changes.search(subvolume, false);
        return changes;
    }

    /** Whether there is any change later than the transaction. */
    public static boolean anyAfter(long transaction, Path subvolume) throws ErrnoException {
        SubvolumeChanges changes = new SubvolumeChanges(transaction);
        changes.search(subvolume, true);
        return changes.count > 0;
    }

    /** Whether the file or directory with that number changed in any way. */
    public boolean contains(long inode) {
        return count == MOST_INODES || Arrays.binarySearch(inodes, 0, count, inode) >= 0;
    }

    /** Bytes of file data that were written. */
    public long bytes() {
        return bytes;
    }

    private void search(Path subvolume, boolean first) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.directory(subvolume)) {
            MemorySegment search = arena.allocate(KEY + 8 + BUFFER, 8);
            search.set(ValueLayout.JAVA_LONG, 8, FIRST_INODE);
            search.set(ValueLayout.JAVA_LONG, 16, LAST_INODE);
            search.set(ValueLayout.JAVA_LONG, 32, -1);
            search.set(ValueLayout.JAVA_LONG, 40, after == 0 ? 0 : after + 1);
            search.set(ValueLayout.JAVA_LONG, 48, -1);
            search.set(ValueLayout.JAVA_INT, 60, 255);
            search.set(ValueLayout.JAVA_LONG, KEY, BUFFER);
            do {
                search.set(ValueLayout.JAVA_INT, 64, Integer.MAX_VALUE);
                fd.ioctl("btrfs: search", TREE_SEARCH_V2, search);
            } while (take(search) && !(first && count > 0));
        }
    }

    /** Takes the items of an answer and sets the key to what comes after them; false at the end. */
    private boolean take(MemorySegment search) {
        int items = search.get(ValueLayout.JAVA_INT, 64);
        long item = KEY + 8;
        for (int index = 0; index < items; index++) {
            long object = search.get(ValueLayout.JAVA_LONG_UNALIGNED, item + 8);
            long offset = search.get(ValueLayout.JAVA_LONG_UNALIGNED, item + 16);
            int type = search.get(ValueLayout.JAVA_INT_UNALIGNED, item + 24);
            int length = search.get(ValueLayout.JAVA_INT_UNALIGNED, item + 28);
            item(search, type, object, item + HEADER);
            item += HEADER + Integer.toUnsignedLong(length);
            if (index == items - 1) {
                next(search, object, type, offset);
            }
        }
        return items > 0;
    }

    private static void next(MemorySegment search, long object, int type, long offset) {
        boolean offsetsEnd = offset == -1;
        boolean typesEnd = offsetsEnd && type == 255;
        search.set(ValueLayout.JAVA_LONG, 8, typesEnd ? object + 1 : object);
        search.set(ValueLayout.JAVA_INT, 56, typesEnd ? 0 : offsetsEnd ? type + 1 : type);
        search.set(ValueLayout.JAVA_LONG, 24, offsetsEnd ? 0 : offset + 1);
    }

    private void item(MemorySegment search, int type, long object, long body) {
        if (type == INODE_ITEM && search.get(ValueLayout.JAVA_LONG_UNALIGNED, body + 8) > after) {
            add(object);
        } else if (type == EXTENT_DATA && search.get(ValueLayout.JAVA_LONG_UNALIGNED, body) > after) {
            bytes += extent(search, body);
        }
    }

    private void add(long inode) {
        if (count == MOST_INODES) {
            return;
        }
        if (count == inodes.length) {
            inodes = Arrays.copyOf(inodes, 2 * count);
        }
        inodes[count++] = inode;
    }

    /** Data in the tree itself counts by its length, a hole not at all. */
    private static long extent(MemorySegment search, long body) {
        if (search.get(ValueLayout.JAVA_BYTE, body + 20) == INLINE) {
            return search.get(ValueLayout.JAVA_LONG_UNALIGNED, body + 8);
        }
        boolean isHole = search.get(ValueLayout.JAVA_LONG_UNALIGNED, body + 21) == 0;
        return isHole ? 0 : search.get(ValueLayout.JAVA_LONG_UNALIGNED, body + 45);
    }
}
