package dev.sandglass.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An extended attribute of a file, whatever its type and namespace. Immutable. */
public final class ExtendedAttribute {
    /** Enough for nearly every file; the kernel's own limit is for the others. */
    private static final int USUAL = 1024;

    private static final int LIMIT = 64 * 1024;
    private static final int ERANGE = 34;
    private static final int EOPNOTSUPP = 95;

    private final byte[] name;
    private final byte[] value;

    private ExtendedAttribute(byte[] name, byte[] value) {
        this.name = name;
        this.value = value;
    }

    public static ExtendedAttribute of(String name, byte[] value) {
        return new ExtendedAttribute(name.getBytes(StandardCharsets.ISO_8859_1), value.clone());
    }

    public byte[] name() {
        return name.clone();
    }

    public byte[] value() {
        return value.clone();
    }

    public boolean hasPrefix(String prefix) {
        return new String(name, StandardCharsets.ISO_8859_1).startsWith(prefix);
    }

    public boolean is(String expectedName, String expectedValue) {
        return Arrays.equals(name, expectedName.getBytes(StandardCharsets.ISO_8859_1))
                && Arrays.equals(value, expectedValue.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Whether two files have the same, each in the order of names. */
    public static boolean areSame(List<ExtendedAttribute> one, List<ExtendedAttribute> other) {
        boolean same = one.size() == other.size();
        for (int i = 0; same && i < one.size(); i++) {
            same = Arrays.equals(one.get(i).name, other.get(i).name) && Arrays.equals(one.get(i).value, other.get(i).value);
        }
        return same;
    }

    /** All of an open file, in the order of their names' bytes; none where the filesystem has no attributes. */
    static List<ExtendedAttribute> of(Fd file) throws ErrnoException {
        try {
            return of(file, USUAL);
        } catch (ErrnoException problem) {
            return switch (problem.errno()) {
                case ERANGE -> of(file, LIMIT);
                case EOPNOTSUPP -> List.of();
                default -> throw problem;
            };
        }
    }

    private static List<ExtendedAttribute> of(Fd file, int room) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            // By way of /proc, because the calls that take a descriptor refuse one that was opened without access.
            long path = path(arena, file);
            MemorySegment buffer = arena.allocate(room);
            // SAFETY: the path is NUL-terminated, the kernel writes no more than there is room for.
            long length = Libc.call("listxattr", SystemCall.LISTXATTR, path, buffer.address(), room);
            if (length == 0) {
                return List.of();
            }
            List<ExtendedAttribute> attributes = new ArrayList<>();
            for (byte[] name : split(buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE))) {
                MemorySegment text = OpenDirectory.text(arena, name);
                // SAFETY: both texts are NUL-terminated, the kernel writes no more than there is room for.
                long size = Libc.call("getxattr", SystemCall.GETXATTR, path, text.address(), buffer.address(), room);
                attributes.add(new ExtendedAttribute(name, buffer.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE)));
            }
            attributes.sort((one, other) -> Arrays.compareUnsigned(one.name, other.name));
            return attributes;
        }
    }

    /** Gives it to an open file. */
    void set(Fd file) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment content = OpenDirectory.text(arena, value);
            // SAFETY: path and name are NUL-terminated, the value has its length.
            Libc.call(
                    "setxattr",
                    SystemCall.SETXATTR,
                    path(arena, file),
                    OpenDirectory.text(arena, name).address(),
                    content.address(),
                    value.length,
                    0);
        }
    }

    private static long path(Arena arena, Fd file) {
        return Libc.text(arena, "/proc/self/fd/" + file.number());
    }

    private static List<byte[]> split(byte[] list) {
        List<byte[]> names = new ArrayList<>();
        int from = 0;
        for (int at = 0; at < list.length; at++) {
            if (list[at] == 0) {
                names.add(Arrays.copyOfRange(list, from, at));
                from = at + 1;
            }
        }
        return names;
    }
}
