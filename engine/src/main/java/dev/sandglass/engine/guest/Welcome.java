package dev.sandglass.engine.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * The agent's answer to a greeting, magic and nonce of which were seen already.
 *
 * @param idle for how long nobody has used the sandbox, if no command runs
 * @param longestFrame the largest frame of input that it takes, its header included
 * @param services whether it knows of services
 * @param owners whether file operations take the owner of what they make, and tell where links end and attributes
 */
record Welcome(int highestStream, Duration idle, int longestFrame, boolean services, boolean owners) {
    private static final int SERVICES = 1;
    private static final int OWNERS = 2;
    private static final int HEAD_BYTES = Protocol.MAGIC.length + 16;
    private static final int VERSION_BYTES = 2;
    /** More streams than a link will ever need on top. */
    private static final int ROOM = 1 << 20;

    /** Longer than any machine runs; it must fit into nanoseconds. */
    private static final Duration MOST_IDLE = Duration.ofDays(36_500);

    static Welcome decode(ByteBuffer payload) throws IOException {
        int facts = HEAD_BYTES + VERSION_BYTES;
        if (payload.remaining() < facts) {
            throw new ProtocolException("WELCOME of " + payload.remaining() + " bytes (expected: >= " + facts + ")");
        }
        int version = Short.toUnsignedInt(payload.getShort(payload.position() + HEAD_BYTES));
        if (version != Protocol.VERSION) {
            throw new ProtocolException(
                    "protocol version: " + version + " (expected: " + Protocol.VERSION + ")",
                    "It was started by another version of Sandglass: stop and start it, and it gets the agent of this one.");
        }
        FieldReader fields = new FieldReader(payload.slice(payload.position() + facts, payload.remaining() - facts));
        long highest = fields.number(3);
        if (highest < 0 || highest > Integer.MAX_VALUE - ROOM) {
            throw new ProtocolException("highest stream: " + highest);
        }
        long idle = fields.number(4);
        if (idle < 0 || idle > MOST_IDLE.toMillis()) {
            throw new ProtocolException("idle time: " + Long.toUnsignedString(idle) + " ms");
        }
        int longest = (int) Math.clamp(fields.number(6), (long) Protocol.MAX_FRAME_BYTES, (long) Protocol.MAX_LONG_FRAME_BYTES);
        return new Welcome((int) highest, Duration.ofMillis(idle), longest, (fields.number(5) & SERVICES) != 0, (fields.number(5) & OWNERS) != 0);
    }
}
