package dev.sandglass.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Mounts and binds, and takes away again, in this process's mount namespace. Stateless. */
public final class Mounts {
    private static final long OPEN_TREE_CLONE = 1;
    private static final long AT_EMPTY_PATH = 0x1000;
    private static final long MOVE_MOUNT_F_EMPTY_PATH = 4;
    private static final long MOUNT_ATTR_IDMAP = 0x0010_0000;
    private static final long MS_NOSUID = 2;
    private static final long MS_NODEV = 4;
    private static final long MS_NOATIME = 1024;
    private static final long MNT_DETACH = 2;
    private static final long UMOUNT_NOFOLLOW = 8;

    private Mounts() {}

    /** Binds a directory with its ids shifted: what inside id 0 owns on disk, the first id of the namespace's range owns here. */
    public static void bindMapped(Path source, Path target, UserNamespace ids) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd tree = clone(arena, source)) {
            MemorySegment attributes = arena.allocate(32, 8);
            attributes.set(ValueLayout.JAVA_LONG, 0, MOUNT_ATTR_IDMAP);
            attributes.set(ValueLayout.JAVA_LONG, 24, ids.descriptor());
            change(arena, "map the ids of " + source, tree, attributes);
            attach(arena, tree, target);
        }
    }

    /** Binds a directory as it is. */
    public static void bind(Path source, Path target) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd tree = clone(arena, source)) {
            attach(arena, tree, target);
        }
    }

    /** Binds a file or directory that forbids what the flags say, besides what its own mount does. */
    public static void bind(Path source, Path target, Set<MountFlag> flags) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd tree = clone(arena, source)) {
            MemorySegment attributes = arena.allocate(32, 8);
            attributes.set(ValueLayout.JAVA_LONG, 0, MountFlag.bits(flags));
            change(arena, "forbid " + flags + " on " + source, tree, attributes);
            attach(arena, tree, target);
        }
    }

    /** Mounts the filesystem of a block device without set-uid, device files and access times. */
    public static void mount(Path device, Path target, String type, String options) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            // SAFETY: four NUL-terminated texts that live as long as the arena.
            Libc.call(
                    "mount " + target,
                    SystemCall.MOUNT,
                    Libc.text(arena, device.toString()),
                    Libc.text(arena, target.toString()),
                    Libc.text(arena, type),
                    MS_NOSUID | MS_NODEV | MS_NOATIME,
                    Libc.text(arena, options));
        }
    }

    /** Takes a mount that nothing uses out of this namespace. */
    public static void unmount(Path target) throws ErrnoException {
        unmount(target, UMOUNT_NOFOLLOW);
    }

    /** Takes a mount and all below it out of this namespace at once; what still uses it keeps it. */
    public static void detach(Path target) throws ErrnoException {
        unmount(target, MNT_DETACH | UMOUNT_NOFOLLOW);
    }

    private static void unmount(Path target, long flags) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            // SAFETY: the path is NUL-terminated and lives as long as the arena.
            Libc.call("unmount " + target, SystemCall.UMOUNT2, Libc.text(arena, target.toString()), flags);
        }
    }

    /** A copy of the mount of a directory that is nowhere yet, and forbids what the flags say; with its ids shifted if they are to be. */
    static Fd detached(Path source, Set<MountFlag> flags, Optional<UserNamespace> ids) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            Fd tree = clone(arena, source);
            try {
                MemorySegment attributes = arena.allocate(32, 8);
                attributes.set(ValueLayout.JAVA_LONG, 0, MountFlag.bits(flags) | (ids.isPresent() ? MOUNT_ATTR_IDMAP : 0));
                attributes.set(ValueLayout.JAVA_LONG, 24, ids.map(UserNamespace::descriptor).orElse(0));
                change(arena, "forbid " + flags + " on " + source, tree, attributes);
                return tree;
            } catch (ErrnoException problem) {
                tree.close();
                throw problem;
            }
        }
    }

    static void attach(Arena arena, Fd tree, Path target) throws ErrnoException {
        // SAFETY: both paths are NUL-terminated and live as long as the arena.
        Libc.call(
                "mount " + target,
                SystemCall.MOVE_MOUNT,
                tree.number(),
                Libc.text(arena, ""),
                SystemCall.AT_FDCWD,
                Libc.text(arena, target.toString()),
                MOVE_MOUNT_F_EMPTY_PATH);
    }

    private static void change(Arena arena, String what, Fd tree, MemorySegment attributes) throws ErrnoException {
        // SAFETY: the empty path and the 32 bytes of struct mount_attr live as long as the arena.
        Libc.call(
                what, SystemCall.MOUNT_SETATTR, tree.number(), Libc.text(arena, ""), AT_EMPTY_PATH, attributes.address(), attributes.byteSize());
    }

    private static Fd clone(Arena arena, Path source) throws ErrnoException {
        // SAFETY: the path is NUL-terminated and lives as long as the arena.
        return Fd.of(Libc.call(
                "open the tree " + source,
                SystemCall.OPEN_TREE,
                SystemCall.AT_FDCWD,
                Libc.text(arena, source.toString()),
                OPEN_TREE_CLONE | SystemCall.O_CLOEXEC));
    }
}
