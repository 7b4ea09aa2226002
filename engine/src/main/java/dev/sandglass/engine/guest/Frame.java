package dev.sandglass.engine.guest;

import java.nio.ByteBuffer;

/** One frame; the payload is a read-only view that its receiver may keep. */
record Frame(int type, boolean more, int stream, ByteBuffer payload) {
    /** The bytes of a frame to send, ready for one write. */
    static ByteBuffer encode(int type, boolean more, int stream, ByteBuffer payload) {
        if (payload.remaining() > Protocol.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("payload: " + payload.remaining() + " (expected: <= " + Protocol.MAX_PAYLOAD_BYTES + ")");
        }
        return ByteBuffer.allocate(Protocol.HEADER_BYTES + payload.remaining())
                .putShort((short) payload.remaining())
                .put((byte) type)
                .put((byte) (more ? Protocol.MORE : 0))
                .putInt(stream)
                .put(payload)
                .flip();
    }
}
