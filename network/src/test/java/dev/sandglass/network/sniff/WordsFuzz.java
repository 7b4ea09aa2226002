package dev.sandglass.network.sniff;

import java.nio.ByteBuffer;

/**
 * A fuzz target: any bytes as what a client says first, as they come in pieces. Nothing is thrown, and what was said about the beginning holds for the whole. Jazzer finds it by
 * the name of its method; {@code make fuzz} runs it.
 */
public final class WordsFuzz {
    private static final int PIECES = 40;

    private WordsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        FirstWords whole = FirstWords.read(ByteBuffer.wrap(input));
        require(whole.equals(FirstWords.read(ByteBuffer.wrap(input).asReadOnlyBuffer())), "two answers for the same bytes", whole, whole);
        require(input.length < FirstWords.ENOUGH || !(whole instanceof FirstWords.NeedMore), "no answer for enough bytes", whole, whole);
        int step = Math.max(1, input.length / PIECES);
        for (int length = 0; length < input.length; length += step) {
            FirstWords part = FirstWords.read(ByteBuffer.wrap(input, 0, length));
            boolean isSame = part instanceof FirstWords.Malformed ? whole instanceof FirstWords.Malformed : part.equals(whole);
            require(part instanceof FirstWords.NeedMore || isSame, "another answer for more bytes", part, whole);
        }
        if (whole instanceof FirstWords.Tls(var name, _, _)) {
            name.ifPresent(each -> require(!each.text().isEmpty(), "a name without letters", whole, whole));
        }
    }

    private static void require(boolean holds, String otherwise, FirstWords one, FirstWords other) {
        if (!holds) {
            throw new AssertionError(otherwise + ": " + one + ", " + other);
        }
    }
}
