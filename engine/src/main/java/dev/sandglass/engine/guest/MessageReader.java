package dev.sandglass.engine.guest;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts messages together from frames with the MORE flag; what is unfinished is bounded in size and number. */
final class MessageReader {
    private static final int MAX_UNFINISHED = 16;

    private record Unfinished(int type, ByteBuffer bytes) {}

    private final Map<Integer, Unfinished> unfinished = new HashMap<>();

    /** The whole message as a frame without MORE, or null when more of it is to come. */
    @Nullable Frame add(Frame frame) throws ProtocolException {
        Unfinished begun = unfinished.get(frame.stream());
        if (begun == null && !frame.more()) {
            return frame;
        }
        if (begun == null) {
            if (unfinished.size() == MAX_UNFINISHED) {
                throw new ProtocolException("more than " + MAX_UNFINISHED + " unfinished messages");
            }
            begun = new Unfinished(frame.type(), ByteBuffer.allocate(0));
        }
        if (begun.type != frame.type()) {
            throw new ProtocolException("type " + frame.type() + " inside a message of type " + begun.type);
        }
        int size = begun.bytes.remaining() + frame.payload().remaining();
        if (size > Protocol.MAX_MESSAGE_BYTES || (frame.more() && frame.payload().remaining() == 0)) {
            throw new ProtocolException("message length: " + size + " (expected: <= " + Protocol.MAX_MESSAGE_BYTES + ", no empty parts)");
        }
        ByteBuffer bytes = append(begun.bytes, frame.payload());
        if (frame.more()) {
            unfinished.put(frame.stream(), new Unfinished(frame.type(), bytes));
            return null;
        }
        unfinished.remove(frame.stream());
        return new Frame(frame.type(), false, frame.stream(), bytes);
    }

    /** Grows by doubling, so that a message of a thousand parts is not copied a thousand times. */
    private static ByteBuffer append(ByteBuffer begun, ByteBuffer part) {
        int size = begun.remaining() + part.remaining();
        ByteBuffer bytes = begun;
        if (begun.capacity() < size) {
            bytes = ByteBuffer.allocate(Math.max(size, 2 * begun.capacity())).put(begun).flip();
        }
        int end = bytes.limit();
        bytes.limit(size);
        bytes.put(end, part, part.position(), part.remaining());
        return bytes;
    }
}
