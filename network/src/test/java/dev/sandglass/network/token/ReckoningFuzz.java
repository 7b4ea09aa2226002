package dev.sandglass.network.token;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A fuzz target: an answer of any bytes. It costs the same in whatever pieces it comes, never less than nothing, and never more than it says or may have. Jazzer finds it by the name of its method;
 * {@code make fuzz} runs it.
 */
public final class ReckoningFuzz {
    private static final String[] TYPES = {"text/event-stream", "application/json", "audio/mpeg"};
    private static final String[] ENCODINGS = {"", "gzip", "br"};

    private ReckoningFuzz() {}

    /** The first byte says what kind of an answer it is, the second in which pieces it comes. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length < 2) {
            return;
        }
        int kind = input[0] & 0xff;
        byte[] body = Arrays.copyOfRange(input, 2, input.length);
        Reckoning.Cost whole = cost(kind, body, body.length + 1);
        Reckoning.Cost pieces = cost(kind, body, 1 + (input[1] & 0xff) % 61);
        if (!whole.equals(pieces)) {
            throw new AssertionError("in one piece " + whole + ", in several " + pieces);
        }
        if (whole.tokens() < 0 || (!whole.isSaid() && whole.tokens() < 1)) {
            throw new AssertionError(whole.toString());
        }
    }

    private static Reckoning.Cost cost(int kind, byte[] body, int piece) {
        Reckoning reckoning = new Reckoning("POST");
        reckoning.begin(200, TYPES[kind % TYPES.length], ENCODINGS[kind / TYPES.length % ENCODINGS.length], -1);
        for (int at = 0; at < body.length; at += piece) {
            reckoning.take(ByteBuffer.wrap(body, at, Math.min(piece, body.length - at)));
        }
        return reckoning.end(0);
    }
}
