package dev.sandglass.server.route;

import dev.sandglass.engine.port.PortConnection;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.eclipse.jetty.http.HttpGenerator;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/** Writes a request to a program in a sandbox. Used by one thread after the other. */
final class RequestWriter {
    private static final int USUAL_HEAD_BYTES = 4 * 1024;
    /** What comes in is smaller, but a little is added. */
    private static final int MAX_HEAD_BYTES = 64 * 1024;

    private final PortConnection connection;
    private final MetaData.Request head;
    private final Duration patience;
    private final HttpGenerator generator = new HttpGenerator();
    private @Nullable ByteBuffer header;
    private @Nullable ByteBuffer chunk;

    RequestWriter(PortConnection connection, MetaData.Request head, Duration patience) {
        this.connection = connection;
        this.head = head;
        this.patience = patience;
        generator.setMaxHeaderBytes(MAX_HEAD_BYTES);
    }

    /** Sends the head before its body is there, or with the last of it. */
    void send(ByteBuffer content, boolean last) throws IOException {
        while (true) {
            switch (generator.generateRequest(generator.isCommitted() ? null : head, header, chunk, content, last)) {
                case NEED_HEADER -> header = BufferUtil.allocate(USUAL_HEAD_BYTES);
                case HEADER_OVERFLOW -> header = larger(header);
                case NEED_CHUNK -> chunk = BufferUtil.allocate(HttpGenerator.CHUNK_SIZE);
                case FLUSH -> {
                    flush(header);
                    flush(chunk);
                    flush(content);
                }
                case CONTINUE -> {
                    if (!content.hasRemaining() && !last) {
                        return;
                    }
                }
                case SHUTDOWN_OUT, DONE -> {
                    return;
                }
                case NEED_INFO, NEED_CHUNK_TRAILER -> throw new IllegalStateException("a request without head, or with trailers");
            }
        }
    }

    private static ByteBuffer larger(@Nullable ByteBuffer small) throws IOException {
        if (small != null && small.capacity() == MAX_HEAD_BYTES) {
            throw new ProtocolException("the head of the request is too large");
        }
        return BufferUtil.allocate(MAX_HEAD_BYTES);
    }

    private void flush(@Nullable ByteBuffer part) throws IOException {
        if (part != null && part.hasRemaining()) {
            connection.write(part.array(), part.arrayOffset() + part.position(), part.remaining(), patience);
            BufferUtil.clear(part);
        }
    }
}
