package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Strict percent-decoding: whole escapes, valid UTF-8, no NUL. */
final class PercentText {
    private PercentText() {}

    /** Decodes one path segment; {@code +} stands for itself. */
    static String decodeSegment(String name, String raw) {
        return decode(name, raw, false);
    }

    /** Decodes a query name or value; {@code +} is a space, as forms have it. */
    static String decodeQuery(String name, String raw) {
        return decode(name, raw, true);
    }

    private static String decode(String name, String raw, boolean plusIsSpace) {
        byte[] bytes = raw.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            int value = bytes[i];
            if (value == '+' && plusIsSpace) {
                value = ' ';
            } else if (value == '%') {
                if (i + 2 >= bytes.length) {
                    throw malformed(name, "a percent escape ends early");
                }
                value = hex(name, bytes[i + 1]) << 4 | hex(name, bytes[i + 2]);
                i += 2;
            }
            if (value == 0) {
                throw malformed(name, "it holds a NUL");
            }
            decoded.write(value);
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(decoded.toByteArray())).toString();
        } catch (CharacterCodingException notUtf8) {
            throw malformed(name, "it is not UTF-8");
        }
    }

    private static int hex(String name, byte digit) {
        int value = Character.digit(digit, 16);
        if (value < 0) {
            throw malformed(name, "a percent escape has no two hexadecimal digits");
        }
        return value;
    }

    private static SandglassException malformed(String name, String why) {
        return new SandglassException(
                ErrorCode.MALFORMED_REQUEST, name + " cannot be decoded: " + why + ".", "Percent-encode its UTF-8 bytes.");
    }
}
