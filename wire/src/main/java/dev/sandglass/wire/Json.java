package dev.sandglass.wire;

import io.avaje.json.JsonException;
import io.avaje.jsonb.JsonType;
import io.avaje.jsonb.Jsonb;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** JSON of the wire records; adapters are made at compile time. Thread-safe. */
public final class Json {
    private static final int MAX_DEPTH = 64;
    private static final Jsonb JSONB = Jsonb.builder().failOnUnknown(false).build();
    private static final Jsonb STRICT = Jsonb.builder().failOnUnknown(true).build();
    private static final ConcurrentHashMap<Class<?>, JsonType<?>> TYPES = new ConcurrentHashMap<>();
    private static final ConcurrentHashMap<Class<?>, JsonType<?>> STRICT_TYPES = new ConcurrentHashMap<>();

    private Json() {}

    public static String write(Object value) {
        return type(value.getClass()).toJson(value);
    }

    public static byte[] bytes(Object value) {
        return type(value.getClass()).toJsonBytes(value);
    }

    /** Reads what a server sent: fields of a newer version are skipped. */
    public static <T> T read(Class<T> type, byte[] json) {
        return parse(TYPES, JSONB, type, json);
    }

    /** Reads what a client sent: an unknown field is an error, so that a misspelt limit is not silently ignored. */
    public static <T> T readStrict(Class<T> type, byte[] json) {
        return parse(STRICT_TYPES, STRICT, type, json);
    }

    private static <T> T parse(ConcurrentHashMap<Class<?>, JsonType<?>> types, Jsonb jsonb, Class<T> type, byte[] json) {
        if (isTooDeep(json)) {
            throw malformed(type, "nested deeper than " + MAX_DEPTH, null);
        }
        try {
            Object value = types.computeIfAbsent(type, jsonb::type).fromJson(json);
            if (value == null) {
                throw malformed(type, "null", null);
            }
            return type.cast(value);
        } catch (JsonException | IllegalStateException | IllegalArgumentException | NullPointerException problem) {
            throw malformed(type, String.valueOf(problem.getMessage()), problem);
        }
    }

    /** The parser skips unknown values by recursion, so depth must be bounded before it sees them. */
    private static boolean isTooDeep(byte[] json) {
        int depth = 0;
        boolean inText = false;
        for (int i = 0; i < json.length; i++) {
            byte letter = json[i];
            if (inText && letter == '\\') {
                i++;
            } else if (letter == '"') {
                inText = !inText;
            } else if (!inText && (letter == '[' || letter == '{') && ++depth > MAX_DEPTH) {
                return true;
            } else if (!inText && (letter == ']' || letter == '}')) {
                depth--;
            }
        }
        return false;
    }

    private static SandglassException malformed(Class<?> type, String why, @Nullable Throwable cause) {
        return new SandglassException(
                ErrorCode.MALFORMED_REQUEST,
                "The JSON is not a valid " + type.getSimpleName() + ": " + why,
                "See /openapi.json for the fields and their types.",
                cause);
    }

    @SuppressWarnings("unchecked")
    private static JsonType<Object> type(Class<?> type) {
        return (JsonType<Object>) TYPES.computeIfAbsent(type, JSONB::type);
    }
}
