package dev.sandglass.network.token;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.eclipse.jetty.http.GZIPContentDecoder;
import org.eclipse.jetty.io.RetainableByteBuffer;

/** Unpacks what comes in parts, and hands it on in parts. To be closed by who made it. */
final class Gunzip extends GZIPContentDecoder implements AutoCloseable {
    /** More than any model says at once: what expands to more is not looked into any further. */
    private static final long MOST = 256L << 20;

    private final Consumer<ByteBuffer> reader;
    private long bytes;

    Gunzip(Consumer<ByteBuffer> reader) {
        this.reader = reader;
    }

    long bytes() {
        return bytes;
    }

    /** False if that is not what was packed, or too much. */
    boolean take(ByteBuffer part) {
        try {
            int before = part.remaining() + 1;
            while (part.hasRemaining() && part.remaining() < before && bytes <= MOST) {
                before = part.remaining();
                decodeChunks(part);
            }
            return !part.hasRemaining() && bytes <= MOST;
        } catch (RuntimeException damaged) {
            return false;
        }
    }

    @Override
    protected boolean decodedChunk(RetainableByteBuffer chunk) {
        bytes += chunk.remaining();
        reader.accept(chunk.getByteBuffer());
        return bytes > MOST;
    }

    @Override
    public void close() {
        destroy();
    }
}
