package dev.sandglass.pool;

import dev.sandglass.engine.pool.Pool;
import dev.sandglass.linux.Btrfs;
import dev.sandglass.linux.BtrfsQuota;
import dev.sandglass.linux.LoopDevice;
import dev.sandglass.linux.Reflink;
import dev.sandglass.wire.StorageFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/** Opens the pool of a data directory: the best kind that it offers, or the one that is asked for. */
public final class Pools {
    private static final String NO_LIMITS = "Disk limits do not hold on this kind of pool. ";

    private final Path data;
    private final Path directory;
    private final LoopFile loopFile;
    private final PoolOptions options;

    private Pools(Path dataDirectory, PoolOptions options) throws IOException {
        this.data = Files.createDirectories(dataDirectory).toRealPath();
        this.directory = data.resolve("pool");
        this.loopFile = new LoopFile(data);
        this.options = options;
    }

    public static Pool open(Path dataDirectory) {
        return open(dataDirectory, PoolOptions.DEFAULT);
    }

    /** Opens the pool, making it first if need be. Two calls for one directory give pools on the same trees. */
    public static Pool open(Path dataDirectory, PoolOptions options) {
        try {
            Pools pools = new Pools(dataDirectory, options);
            try (LockFile _ = pools.lock()) {
                return pools.open();
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The pool in " + dataDirectory + " could not be opened", problem);
        }
    }

    /** Unmounts what {@link #open} mounted, so that the directory can be removed; trees that are in use prevent it. */
    public static void unmount(Path dataDirectory) {
        try {
            Pools pools = new Pools(dataDirectory, PoolOptions.DEFAULT);
            try (LockFile _ = pools.lock()) {
                if (Files.isDirectory(pools.directory)) {
                    pools.loopFile.unmount();
                }
            }
        } catch (IOException problem) {
            throw StorageFailure.of("The pool in " + dataDirectory + " could not be unmounted", problem);
        }
    }

    private LockFile lock() throws IOException {
        return LockFile.take(data.resolve("pool.lock"), () -> {});
    }

    private Pool open() throws IOException {
        if (!Files.isDirectory(directory)) {
            Files.createDirectory(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        }
        return options.kind().isPresent() ? open(options.kind().get(), missingForLoop()) : best();
    }

    private Pool open(PoolKind kind, Optional<String> whyNoLoop) throws IOException {
        return switch (kind) {
            case BTRFS -> inPlace();
            case BTRFS_LOOP -> onLoopFile();
            case REFLINK -> cleaned(new ReflinkPool(directory, space(), NO_LIMITS + remedy(whyNoLoop)));
            case COPY ->
                cleaned(new CopyPool(
                        directory,
                        space(),
                        NO_LIMITS + "Copies of trees take their full time and space. " + remedy(whyNoLoop)));
        };
    }

    private Pool best() throws IOException {
        if (loopFile.exists()) {
            return onLoopFile();
        }
        if (Btrfs.isOn(directory)) {
            return inPlace();
        }
        Optional<String> missing = missingForLoop();
        if (missing.isEmpty()) {
            try {
                return onLoopFile();
            } catch (IOException problem) {
                // Nothing is in it yet: it was made just now.
                loopFile.discard();
                missing = Optional.of(String.valueOf(problem.getMessage()));
            }
        }
        return open(Reflink.worksIn(data) ? PoolKind.REFLINK : PoolKind.COPY, missing);
    }

    private FreeSpace space() {
        return FreeSpace.of(data, directory);
    }

    /** Quotas are used where they are on, but not turned on: the filesystem is not ours, and older kernels would refuse it. */
    private Pool inPlace() throws IOException {
        if (!Btrfs.isOn(directory)) {
            throw new IOException(directory + " is not on btrfs");
        }
        BtrfsQuota quota = new BtrfsQuota(directory);
        return new BtrfsPool(directory, PoolKind.BTRFS, space(), quota.isEnabled() ? quota : null).swept();
    }

    private Pool onLoopFile() throws IOException {
        Optional<String> missing = missingForLoop();
        if (missing.isPresent()) {
            throw new IOException(missing.get());
        }
        loopFile.mount(options.imageBytes());
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        BtrfsQuota quota = new BtrfsQuota(directory);
        if (!quota.isEnabled()) {
            quota.enable();
        }
        return new BtrfsPool(directory, PoolKind.BTRFS_LOOP, FreeSpace.of(data, directory, data), quota.isEnabled() ? quota : null).swept();
    }

    private static Pool cleaned(DirectoryPool pool) {
        pool.cleanUp();
        return pool;
    }

    private static String remedy(Optional<String> whyNoLoop) {
        return "A data directory on btrfs cures that"
                + whyNoLoop.map(why -> "; there is no loop file with btrfs because " + why + ".").orElse(".");
    }

    /** What keeps this machine from a loop file with btrfs, if anything. */
    private static Optional<String> missingForLoop() throws IOException {
        if (!LoopDevice.isAvailable()) {
            return Optional.of("the kernel offers no loop devices (`modprobe loop`)");
        }
        if (!hasBtrfs()) {
            return Optional.of("the kernel has no btrfs (`modprobe btrfs`)");
        }
        if (Program.find("mkfs.btrfs").isEmpty()) {
            return Optional.of("mkfs.btrfs is missing (`apt-get install btrfs-progs`)");
        }
        return Optional.empty();
    }

    private static boolean hasBtrfs() throws IOException {
        if (!kernelKnowsBtrfs() && Program.find("modprobe").isPresent()) {
            try {
                Program.run(List.of("modprobe", "--quiet", "btrfs"));
            } catch (IOException noSuchModule) {
                return false;
            }
        }
        return kernelKnowsBtrfs();
    }

    private static boolean kernelKnowsBtrfs() throws IOException {
        return Files.readString(Path.of("/proc/filesystems")).contains("\tbtrfs\n");
    }
}
