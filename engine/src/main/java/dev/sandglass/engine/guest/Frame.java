package dev.sandglass.engine.guest;

import java.nio.ByteBuffer;

/** One frame; the payload is a read-only view that its receiver may keep. */
record Frame(int type, boolean more, int stream, ByteBuffer payload) {
    /** The bytes of a frame to send, ready for one write. */
    static ByteBuffer encode(int type, boolean more, int stream, ByteBuffer payload) {
        int most = (type == Protocol.DATA ? Protocol.MAX_LONG_FRAME_BYTES : Protocol.MAX_FRAME_BYTES) - Protocol.HEADER_BYTES;
        if (payload.remaining() > most) {
            throw new IllegalArgumentException("payload: " + payload.remaining() + " (expected: <= " + most + ")");
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
