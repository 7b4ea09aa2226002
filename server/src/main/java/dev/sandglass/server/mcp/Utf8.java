package dev.sandglass.server.mcp;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Where characters begin and end in bytes that were cut somewhere. */
final class Utf8 {
    private static final int LONGEST = 4;

    private Utf8() {}

    /** How many bytes there are up to the end of the last whole character. */
    static int whole(byte[] bytes) {
        for (int back = 1; back < LONGEST && back <= bytes.length; back++) {
            int lead = bytes[bytes.length - back] & 0xff;
            if (lead >= 0xc0) {
                return length(lead) > back ? bytes.length - back : bytes.length;
            }
            if (lead < 0x80) {
                break;
            }
        }
        return bytes.length;
    }

    /** How many bytes there are before the first character begins. */
    static int begun(byte[] bytes) {
        int at = 0;
        while (at < Math.min(LONGEST - 1, bytes.length) && (bytes[at] & 0xc0) == 0x80) {
            at++;
        }
        return at;
    }

    private static int length(int lead) {
        return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    }

    /** The text, if it is one: nothing that text does not have. */
    static Optional<String> text(byte[] bytes, int length) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length)).toString();
            return text.indexOf('\0') < 0 ? Optional.of(text) : Optional.empty();
        } catch (CharacterCodingException binary) {
            return Optional.empty();
        }
    }
}
