package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Quota groups of one btrfs: a subvolume's own group carries its id. Usage is read from sysfs, where it is current, and
 * not from the quota tree, where it is as old as the last commit. Thread-safe.
 */
public final class BtrfsQuota {
    private static final long ENABLE = 1;
    private static final long ENABLE_SIMPLE = 4;
    private static final long LIMIT_REFERENCED = 1;
    private static final long NO_LIMIT = -1;
    private static final int ENOTCONN = 107;

    private static final long QUOTA_CTL = Btrfs.readWrite(40, 16);
    private static final long QGROUP_CREATE = Btrfs.write(42, 16);
    private static final long QGROUP_LIMIT = Btrfs.read(43, 48);

    private final Path filesystem;
    private final Path groups;

    public BtrfsQuota(Path filesystem) throws ErrnoException {
        this.filesystem = filesystem;
        this.groups = Path.of("/sys/fs/btrfs", Btrfs.filesystemId(filesystem), "qgroups");
    }

    public boolean isEnabled() {
        return Files.isDirectory(groups);
    }

    /** Turns quotas on: simple ones, which cost next to nothing, where the kernel has them (6.7), else ordinary ones. */
    public void enable() throws ErrnoException {
        try {
            control(ENABLE_SIMPLE);
        } catch (ErrnoException olderKernel) {
            control(ENABLE);
        }
    }

    /** Sets how many bytes the subvolume may refer to; 0 takes the limit away. */
    public void limit(long subvolume, long bytes) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.directory(filesystem)) {
            MemorySegment arguments = arena.allocate(48, 8);
            arguments.set(ValueLayout.JAVA_LONG, 0, subvolume);
            arguments.set(ValueLayout.JAVA_LONG, 8, LIMIT_REFERENCED);
            arguments.set(ValueLayout.JAVA_LONG, 16, bytes == 0 ? NO_LIMIT : bytes);
            fd.ioctl("btrfs: limit subvolume " + subvolume, QGROUP_LIMIT, arguments);
        }
    }

    /** Bytes charged to the subvolume; what is written but not yet on its way to the disk is not among them. */
    public long usedBytes(long subvolume) throws IOException {
        return Long.parseLong(
                Files.readString(groups.resolve("0_" + subvolume).resolve("referenced")).strip());
    }

    /** The subvolume ids that have a group, those of destroyed subvolumes included. */
    public List<Long> groups() throws IOException {
        List<Long> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(groups, "0_*")) {
            for (Path entry : entries) {
                found.add(Long.parseLong(entry.getFileName().toString().substring(2)));
            }
        } catch (NoSuchFileException quotasAreOff) {
            return List.of();
        }
        return found;
    }

    /** Removes the group of a destroyed subvolume; false while the kernel still needs it. */
    public boolean removeGroup(long subvolume) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.directory(filesystem)) {
            MemorySegment arguments = arena.allocate(16, 8);
            arguments.set(ValueLayout.JAVA_LONG, 8, subvolume);
            fd.ioctl("btrfs: remove group " + subvolume, QGROUP_CREATE, arguments);
            return true;
        } catch (ErrnoException problem) {
            return switch (problem.errno()) {
                case Libc.ENOENT, ENOTCONN -> true;
                case Libc.EBUSY -> false;
                default -> throw problem;
            };
        }
    }

    private void control(long command) throws ErrnoException {
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.directory(filesystem)) {
            MemorySegment arguments = arena.allocate(16, 8);
            arguments.set(ValueLayout.JAVA_LONG, 0, command);
            fd.ioctl("btrfs: turn quotas on", QUOTA_CTL, arguments);
        }
    }
}
