package dev.sandglass.pool.image;

import dev.sandglass.pool.Pools;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Counts the processes that use the shared pool by a shared lock, so that the last one unmounts it. */
final class UseOfMount {
    private UseOfMount() {}

    static void begin(Path data) {
        try {
            Files.createDirectories(data);
            FileChannel channel = FileChannel.open(
                    data.resolve("use.lock"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock shared = channel.lock(0, Long.MAX_VALUE, true);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(data, channel, shared)));
        } catch (IOException problem) {
            throw new AssertionError("the shared pool cannot be locked: " + problem, problem);
        }
    }

    private static void end(Path data, FileChannel channel, FileLock shared) {
        try {
            shared.release();
            if (channel.tryLock() != null) {
                Pools.unmount(data);
            }
        } catch (IOException | SandglassException stillInUse) {
            System.err.println("The pool of the tests stays mounted: " + stillInUse.getMessage());
        }
    }
}
