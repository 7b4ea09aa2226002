package dev.sandglass.server;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The right to use a data or run directory; the kernel gives it back when the process ends, however it ends. */
final class DataLock implements AutoCloseable {
    private final FileChannel channel;

    private DataLock(FileChannel channel) {
        this.channel = channel;
    }

    static DataLock take(Path data) throws IOException {
        FileChannel channel = FileChannel.open(
                data.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        @Nullable FileLock lock = channel.tryLock();
        if (lock == null) {
            ByteBuffer holder = ByteBuffer.allocate(32);
            channel.read(holder, 0);
            channel.close();
            throw new SandglassException(
                    ErrorCode.DATA_IN_USE,
                    "Another daemon uses " + data + " (process "
                            + StandardCharsets.US_ASCII.decode(holder.flip()).toString().strip() + ").",
                    "Stop it with `sandglass down`, or set SANDGLASS_DATA_DIR to another directory.");
        }
        // In place, which works on a full disk too.
        byte[] holder = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
        channel.write(ByteBuffer.wrap(holder), 0);
        channel.truncate(holder.length);
        return new DataLock(channel);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
