package dev.sandglass.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A loop device on a file. It goes away by itself with its last user: hold it open until something on it is mounted.
 * Not thread-safe; callers that look for a device and attach one when there is none hold a lock around both.
 */
public final class LoopDevice implements AutoCloseable {
    private static final Path CONTROL = Path.of("/dev/loop-control");
    private static final long GET_STATUS64 = 0x4C05;
    private static final long CONFIGURE = 0x4C0A;
    private static final long GET_FREE = 0x4C82;
    private static final int AUTOCLEAR = 4;
    private static final int DIRECT_IO = 16;
    private static final int BLOCK_SIZE = 4096;
    private static final int ATTEMPTS = 64;

    private final Path device;
    private final Fd fd;

    private LoopDevice(Path device, Fd fd) {
        this.device = device;
        this.fd = fd;
    }

    /** The block device's path. */
    public Path path() {
        return device;
    }

    /** Whether this kernel and this process can make loop devices. */
    public static boolean isAvailable() {
        try (Fd control = Fd.open(CONTROL, SystemCall.O_RDWR)) {
            return control.number() >= 0;
        } catch (ErrnoException missing) {
            return false;
        }
    }

    /** The device that has this file, if any; whoever attached it. */
    public static Optional<LoopDevice> find(Path file) throws IOException {
        try (DirectoryStream<Path> blocks = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
            for (Path block : blocks) {
                if (Files.exists(block.resolve("loop/backing_file"))) {
                    Path device = Path.of("/dev", block.getFileName().toString());
                    if (backs(device, file)) {
                        return Optional.of(new LoopDevice(device, Fd.open(device, SystemCall.O_RDWR)));
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** Whether the device has this file. */
    public static boolean backs(Path device, Path file) throws IOException {
        if (!device.startsWith("/dev") || !device.getFileName().toString().startsWith("loop")) {
            return false;
        }
        try (Arena arena = Arena.ofConfined();
                Fd fd = Fd.open(device, SystemCall.O_RDONLY)) {
            MemorySegment info = arena.allocate(232, 8);
            fd.ioctl("loop: status", GET_STATUS64, info);
            return info.get(ValueLayout.JAVA_LONG, 0) == (long) Files.getAttribute(file, "unix:dev")
                    && info.get(ValueLayout.JAVA_LONG, 8) == (long) Files.getAttribute(file, "unix:ino");
        } catch (ErrnoException notAttached) {
            return false;
        }
    }

    /** Attaches the file, with direct I/O where its filesystem can: otherwise everything would be cached twice. */
    public static LoopDevice attach(Path file) throws IOException {
        try {
            return attach(file, AUTOCLEAR | DIRECT_IO);
        } catch (ErrnoException problem) {
            if (problem.errno() != Libc.EINVAL) {
                throw problem;
            }
            return attach(file, AUTOCLEAR);
        }
    }

    private static LoopDevice attach(Path file, int flags) throws IOException {
        try (Fd control = Fd.open(CONTROL, SystemCall.O_RDWR);
                Fd backing = Fd.open(file, SystemCall.O_RDWR)) {
            for (int attempt = 1; ; attempt++) {
                Path device = Path.of("/dev/loop" + control.ioctl("loop: find a free one", GET_FREE, 0));
                Fd fd = Fd.open(device, SystemCall.O_RDWR);
                try {
                    configure(fd, backing, file, flags);
                    return new LoopDevice(device, fd);
                } catch (ErrnoException problem) {
                    fd.close();
                    if (problem.errno() != Libc.EBUSY || attempt == ATTEMPTS) {
                        throw problem;
                    }
                }
            }
        }
    }

    private static void configure(Fd device, Fd backing, Path file, int flags) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment config = arena.allocate(304, 8);
            config.set(ValueLayout.JAVA_INT, 0, backing.number());
            config.set(ValueLayout.JAVA_INT, 4, BLOCK_SIZE);
            config.set(ValueLayout.JAVA_INT, 8 + 52, flags);
            byte[] name = file.toString().getBytes(StandardCharsets.UTF_8);
            MemorySegment.copy(name, 0, config, ValueLayout.JAVA_BYTE, 8 + 56, Math.min(name.length, 63));
            device.ioctl("loop: attach " + file, CONFIGURE, config);
        }
    }

    /** Lets go of the device; it is detached when nothing is mounted from it. */
    @Override
    public void close() throws ErrnoException {
        fd.close();
    }
}
