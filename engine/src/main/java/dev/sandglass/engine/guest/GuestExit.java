package dev.sandglass.engine.guest;

import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * How a command or worker ended, as the agent tells it.
 *
 * @param status exit code, or minus the signal
 * @param turnedBack whether it ended because its sandbox became what it was before; the agent knows nothing of that
 */
public record GuestExit(
        int status,
        boolean timedOut,
        boolean outOfMemory,
        boolean turnedBack,
        long userMicros,
        long systemMicros,
        long maxRssKib,
        long endOffset,
        Instant endedAt) {
    private static final int BYTES = 48;
    private static final int SIGKILL = 9;

    /** By SIGKILL, itself or as a shell tells it of its child. */
    boolean wasKilled() {
        return status == -SIGKILL || status == 128 + SIGKILL;
    }

    GuestExit forMemory() {
        return new GuestExit(status, timedOut, true, turnedBack, userMicros, systemMicros, maxRssKib, endOffset, endedAt);
    }

    /** Of a command that is not in the state to which its sandbox was turned back. */
    static GuestExit ofTheFuture() {
        return new GuestExit(-SIGKILL, false, false, true, 0, 0, 0, 0, Instant.now());
    }

    static GuestExit decode(ByteBuffer payload) throws ProtocolException {
        if (payload.remaining() != BYTES) {
            throw new ProtocolException("EXIT of " + payload.remaining() + " bytes (expected: " + BYTES + ")");
        }
        ByteBuffer bytes = payload.duplicate();
        int status = bytes.getInt();
        int flags = bytes.getInt();
        if (status < -128 || status > 255) {
            throw new ProtocolException("exit status: " + status + " (expected: -128 to 255)");
        }
        return new GuestExit(
                status,
                (flags & 1) != 0,
                (flags & 2) != 0,
                false,
                bytes.getLong(),
                bytes.getLong(),
                bytes.getLong(),
                bytes.getLong(),
                timeOf(bytes.getLong()));
    }

    /** A hostile agent may send any number; a time that no calendar has becomes the nearest sensible one. */
    static Instant timeOf(long millis) {
        return Instant.ofEpochMilli(Math.clamp(millis, 0, 253_402_300_799_000L));
    }
}
