package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import io.avaje.json.JsonException;
import io.avaje.jsonb.JsonType;
import io.avaje.jsonb.Jsonb;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Parses JSON text of a client: UTF-8, bounded in depth, one value and nothing after it. */
final class JsonText {
    private static final int MAX_DEPTH = 32;
    private static final JsonType<Object> ANY = Jsonb.builder().build().type(Object.class);

    private JsonText() {}

    static @Nullable Object parse(byte[] json) {
        checkText(json);
        try {
            return ANY.fromJson(json);
        } catch (JsonException tooLong) {
            if (String.valueOf(tooLong.getMessage()).contains("Maximum string buffer")) {
                throw new SandglassException(
                        ErrorCode.TOO_LARGE,
                        "A text in the JSON is longer than 32768 characters.",
                        "Send large input to a command's stdin, or write it to a file first.",
                        tooLong);
            }
            throw malformed(Schema.shown(tooLong.getMessage()), tooLong);
        } catch (IllegalStateException | IllegalArgumentException problem) {
            throw malformed(Schema.shown(problem.getMessage()), problem);
        }
    }

    /** The parser is recursive and stops after the first value, so depth and end are checked before it runs. */
    private static void checkText(byte[] json) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json));
        } catch (CharacterCodingException notUtf8) {
            throw malformed("it is not UTF-8", notUtf8);
        }
        int depth = 0;
        boolean inText = false;
        boolean ended = false;
        for (int i = 0; i < json.length; i++) {
            byte value = json[i];
            if (inText) {
                if (value == '\\') {
                    i++;
                } else if (value == '"') {
                    inText = false;
                }
            } else if (value > ' ') {
                if (ended) {
                    throw malformed("something follows the value", null);
                }
                switch (value) {
                    case '"' -> inText = true;
                    case '{', '[' -> depth++;
                    case '}', ']' -> depth--;
                    default -> {}
                }
                if (depth > MAX_DEPTH) {
                    throw malformed("it is nested deeper than " + MAX_DEPTH, null);
                }
                ended = depth == 0 && (value == '}' || value == ']');
            }
        }
    }

    private static SandglassException malformed(String why, @Nullable Throwable cause) {
        return new SandglassException(
                ErrorCode.MALFORMED_REQUEST, "This is not JSON: " + why + ".", "Send one JSON object in UTF-8.", cause);
    }
}
