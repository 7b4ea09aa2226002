package dev.sandglass.pool;

import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.ErrnoException;
import dev.sandglass.linux.LoopDevice;
import dev.sandglass.linux.MountTable;
import dev.sandglass.linux.MountUsers;
import dev.sandglass.linux.Mounts;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/** A btrfs in a sparse file of the data directory, mounted beside it. Callers hold the pool's lock. */
final class LoopFile {
    private static final long GIB = 1L << 30;
    private static final long SMALLEST = 2 * GIB;
    private static final long LARGEST = 1024 * GIB;
    /** How much written data may wait: a snapshot has to write out all of it first. */
    private static final long DIRTY_BYTES = 128 << 20;

    private static final Duration LOOKS_END = Duration.ofMinutes(1);
    private static final Duration RETRY = Duration.ofMillis(10);

    private final Path image;
    private final Path unfinished;
    private final Path mountPoint;

    LoopFile(Path dataDirectory) {
        this.image = dataDirectory.resolve("pool.img");
        this.unfinished = dataDirectory.resolve("pool.img.new");
        this.mountPoint = dataDirectory.resolve("pool");
    }

    Path mountPoint() {
        return mountPoint;
    }

    boolean exists() {
        return Files.exists(image);
    }

    /** Makes, attaches and mounts whatever is not yet so. */
    void mount(OptionalLong bytes) throws IOException {
        if (!exists()) {
            format(bytes);
        }
        if (!isMounted()) {
            try (LoopDevice device = attached()) {
                // Freed space goes back to the sparse file, some two minutes after it was freed.
                Mounts.mount(device.path(), mountPoint, "btrfs", "discard=async");
            }
        }
        boundDirtyData();
    }

    /**
     * Undoes the mount; the loop device goes with it. Whoever only looks at the filesystem, as {@link OrphanedGroups} does, has it open for a moment, and no event
     * tells of the end of that: so it is tried again for a while.
     */
    void unmount() throws IOException {
        long deadline = System.nanoTime() + LOOKS_END.toNanos();
        while (isMounted()) {
            try {
                Mounts.unmount(mountPoint);
            } catch (ErrnoException problem) {
                if (!problem.isBusy() || System.nanoTime() - deadline > 0) {
                    throw new IOException(problem.getMessage() + ", in use by " + MountUsers.of(mountPoint), problem);
                }
                LockSupport.parkNanos(RETRY.toNanos());
            }
        }
    }

    /** Takes a file away that nothing was ever kept in. */
    void discard() throws IOException {
        unmount();
        Files.deleteIfExists(image);
        Files.deleteIfExists(unfinished);
    }

    private boolean isMounted() throws IOException {
        Optional<Path> source = MountTable.source(mountPoint.toRealPath());
        if (source.isPresent() && !(exists() && LoopDevice.backs(source.get(), image))) {
            throw new IOException(mountPoint + " is a mount of " + source.get() + " (expected: of " + image + ")");
        }
        return source.isPresent();
    }

    /** Never two devices on one file: that would destroy the filesystem. */
    private LoopDevice attached() throws IOException {
        Optional<LoopDevice> present = LoopDevice.find(image);
        return present.isPresent() ? present.get() : LoopDevice.attach(image);
    }

    private void format(OptionalLong bytes) throws IOException {
        long room = mountPoint.toFile().getUsableSpace();
        long size = bytes.orElse(Math.clamp(room / 10 * 8, SMALLEST, LARGEST));
        if (bytes.isEmpty() && room < SMALLEST) {
            throw new IOException("free space: " + room + " bytes (expected: >= " + SMALLEST + ")");
        }
        Files.deleteIfExists(unfinished);
        try (RandomAccessFile file = new RandomAccessFile(unfinished.toFile(), "rw")) {
            file.setLength(size / 4096 * 4096);
        }
        Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rw-------"));
        Path mkfs = Program.find("mkfs.btrfs").orElseThrow(() -> new IOException("mkfs.btrfs is not installed"));
        Program.run(List.of(
                mkfs.toString(),
                "--quiet",
                "--nodiscard",
                "--metadata",
                "single",
                "--data",
                "single",
                "--label",
                "sandglass",
                unfinished.toString()));
        try (FileChannel file = FileChannel.open(unfinished, StandardOpenOption.WRITE)) {
            file.force(true);
        }
        Files.move(unfinished, image, StandardCopyOption.ATOMIC_MOVE);
    }

    private void boundDirtyData() throws IOException {
        Path device = Path.of("/sys/fs/btrfs", Btrfs.filesystemId(mountPoint), "bdi");
        if (Files.isWritable(device.resolve("strict_limit")) && Files.isWritable(device.resolve("max_bytes"))) {
            Files.writeString(device.resolve("strict_limit"), "1");
            Files.writeString(device.resolve("max_bytes"), Long.toString(DIRTY_BYTES));
        }
    }
}
