package dev.sandglass.pool.manifest;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.linux.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** The hash of one open file, found piece by piece; the file is closed when it is found or given up. Used by one thread at a time. */
final class FileHash implements HashThreads.Job {
    private static final int BUFFER = 256 * 1024;
    /** What is read before others have their turn: a few milliseconds. */
    private static final long PIECE = 16L << 20;

    private static final ThreadLocal<byte[]> HEAP = ThreadLocal.withInitial(() -> new byte[BUFFER]);
    private static final ThreadLocal<ByteBuffer> BUFFERS = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(BUFFER));

    private final OpenFile file;
    private final long size;
    private final BooleanSupplier stopped;
    private final ContentHash hash = new ContentHash();
    private final CompletableFuture<Bytes> found = new CompletableFuture<>();
    private long at;

    /** @param stopped tells that nobody waits for it any more */
    FileHash(OpenFile file, long size, BooleanSupplier stopped) {
        this.file = file;
        this.size = size;
        this.stopped = stopped;
    }

    CompletableFuture<Bytes> found() {
        return found;
    }

    @Override
    public boolean advance() {
        try {
            if (stopped.getAsBoolean()) {
                abandon();
                return false;
            }
            if (hasMore()) {
                return true;
            }
            hash.hole(size - at);
            file.close();
            found.complete(hash.finish());
        } catch (IOException | RuntimeException | Error problem) {
            end(problem);
        }
        return false;
    }

    /** Reads a piece; holes are not read. */
    private boolean hasMore() throws IOException {
        ByteBuffer buffer = BUFFERS.get();
        byte[] heap = HEAP.get();
        long read = 0;
        for (long data = file.data(at); data >= 0 && data < size; data = file.data(at)) {
            hash.hole(data - at);
            at = data;
            long end = Math.min(size, file.hole(data));
            while (at < end) {
                if (read >= PIECE) {
                    return true;
                }
                int length = file.read(buffer, at, end - at).remaining();
                if (length == 0) {
                    throw new IOException("a file became shorter");
                }
                buffer.get(heap, 0, length);
                hash.update(heap, 0, length);
                at += length;
                read += length;
            }
        }
        return false;
    }

    @Override
    public void abandon() {
        end(new IOException("the daemon is shutting down"));
    }

    private void end(Throwable problem) {
        try {
            file.close();
        } catch (IOException also) {
            problem.addSuppressed(also);
        }
        found.completeExceptionally(problem);
    }
}
