package dev.sandglass.wire;

import io.avaje.json.JsonException;
import io.avaje.jsonb.JsonType;
import io.avaje.jsonb.Jsonb;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** JSON of the wire records; adapters are made at compile time. Thread-safe. */
public final class Json {
    private static final Jsonb JSONB = Jsonb.builder().failOnUnknown(false).build();
    private static final Jsonb STRICT = Jsonb.builder().failOnUnknown(true).build();
    private static final JsonType<Object> ANYTHING = JSONB.type(Object.class);
    private static final ConcurrentHashMap<Class<?>, JsonType<?>> TYPES = new ConcurrentHashMap<>();
    private static final ConcurrentHashMap<Class<?>, JsonType<?>> STRICT_TYPES = new ConcurrentHashMap<>();

    private Json() {}

    public static String write(Object value) {
        return written(value).toString(StandardCharsets.UTF_8);
    }

    public static byte[] bytes(Object value) {
        return written(value).toByteArray();
    }

    /** To a stream: without one the library makes too little room for a long text of characters that it has to escape, and throws. */
    private static ByteArrayOutputStream written(Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        type(value.getClass()).toJson(value, bytes);
        return bytes;
    }

    /** Writes what {@link #tree} reads: text, numbers, booleans, lists and maps; a field that is null is left out. */
    public static byte[] treeBytes(Object tree) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        ANYTHING.toJson(tree, bytes);
        return bytes.toByteArray();
    }

    /** Reads what a server sent: fields of a newer version are skipped. */
    public static <T> T read(Class<T> type, byte[] json) {
        return parse(TYPES, JSONB, false, type, json);
    }

    /** Reads what a client sent: an unknown field is an error, so that a misspelt limit is not silently ignored. */
    public static <T> T readStrict(Class<T> type, byte[] json) {
        return parse(STRICT_TYPES, STRICT, true, type, json);
    }

    /** Reads any JSON value: text, number, boolean, list, map or null. */
    public static @Nullable Object tree(byte[] json) {
        try {
            JsonText text = new JsonText(json, true);
            Object value = text.value();
            text.end();
            return value;
        } catch (JsonException problem) {
            throw new SandglassException(
                    ErrorCode.MALFORMED_REQUEST,
                    "This is not JSON: " + problem.getMessage() + ".",
                    "Send one JSON object in UTF-8.",
                    problem);
        }
    }

    private static <T> T parse(ConcurrentHashMap<Class<?>, JsonType<?>> types, Jsonb jsonb, boolean strict, Class<T> type, byte[] json) {
        try {
            JsonText text = new JsonText(json, strict);
            Object value = types.computeIfAbsent(type, jsonb::type).fromJson(text);
            if (value == null) {
                throw malformed(type, "null", null);
            }
            text.end();
            return type.cast(value);
        } catch (JsonException | IllegalStateException | IllegalArgumentException | ArithmeticException | DateTimeException | NullPointerException problem) {
            throw malformed(type, String.valueOf(problem.getMessage()), problem);
        }
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
