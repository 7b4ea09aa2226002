package dev.sandglass.engine.guest;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** Takes frames from the agent's byte stream. Used by one thread. */
final class FrameReader {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int MAX_PAYLOAD_BYTES = Protocol.MAX_LONG_FRAME_BYTES - Protocol.HEADER_BYTES;

    private final ReadableByteChannel channel;
    private final ByteBuffer buffer;

    FrameReader(ReadableByteChannel channel) {
        this(channel, ByteBuffer.allocateDirect(BUFFER_BYTES));
    }

    /** With room for at least one whole frame, whatever is in it now. */
    FrameReader(ReadableByteChannel channel, ByteBuffer room) {
        this.channel = channel;
        this.buffer = room.clear().limit(0);
    }

    /**
     * Discards what an earlier daemon left unread, possibly from the middle of a frame, up to the WELCOME that carries this
     * nonce; it is the next frame.
     */
    void synchronize(byte[] nonce) throws IOException {
        byte[] pattern = new byte[Protocol.MAGIC.length + nonce.length];
        System.arraycopy(Protocol.MAGIC, 0, pattern, 0, Protocol.MAGIC.length);
        System.arraycopy(nonce, 0, pattern, Protocol.MAGIC.length, nonce.length);
        require(Protocol.HEADER_BYTES);
        while (true) {
            require(Protocol.HEADER_BYTES + pattern.length);
            int start = buffer.position() + Protocol.HEADER_BYTES;
            int matched = 0;
            while (matched < pattern.length && buffer.get(start + matched) == pattern[matched]) {
                matched++;
            }
            if (matched == pattern.length) {
                return;
            }
            buffer.get();
        }
    }

    /** The next frame; blocks for it. */
    Frame next() throws IOException {
        require(Protocol.HEADER_BYTES);
        int at = buffer.position();
        int length = Short.toUnsignedInt(buffer.getShort(at));
        int type = Byte.toUnsignedInt(buffer.get(at + 2));
        int flags = Byte.toUnsignedInt(buffer.get(at + 3));
        int stream = buffer.getInt(at + 4);
        if (length > MAX_PAYLOAD_BYTES) {
            throw new ProtocolException("frame length: " + length + " (expected: <= " + MAX_PAYLOAD_BYTES + ")");
        }
        if ((flags & ~Protocol.MORE) != 0) {
            throw new ProtocolException("frame flags: " + flags + " (expected: 0 or 1)");
        }
        if (stream < 0) {
            throw new ProtocolException("stream: " + stream + " (expected: >= 0)");
        }
        require(Protocol.HEADER_BYTES + length);
        buffer.position(buffer.position() + Protocol.HEADER_BYTES);
        byte[] payload = new byte[length];
        buffer.get(payload);
        return new Frame(type, (flags & Protocol.MORE) != 0, stream, ByteBuffer.wrap(payload).asReadOnlyBuffer());
    }

    private void require(int bytes) throws IOException {
        while (buffer.remaining() < bytes) {
            if (buffer.capacity() - buffer.position() < bytes) {
                buffer.compact().flip();
            }
            int position = buffer.position();
            buffer.position(buffer.limit()).limit(buffer.capacity());
            int read = channel.read(buffer);
            buffer.limit(buffer.position()).position(position);
            if (read < 0) {
                throw new EOFException("the agent's stream ended");
            }
        }
    }
}
