package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The part of JSON Schema that the API description uses, as checks of parsed JSON (maps, lists, strings, numbers, booleans, null).
 *
 * <p>A keyword that is not known here fails when the schema is read, so that no promise of the description is silently skipped.
 */
public final class Schema {
    private static final Set<String> KNOWN = Set.of(
            "$ref", "type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "items",
            "required", "properties", "additionalProperties", "format", "contentEncoding", "default", "description", "writeOnly");
    private static final int SHOWN = 80;

    private final Map<?, ?> node;
    private final Function<String, Map<?, ?>> references;
    private final boolean closed;

    /** A schema of a parsed document; {@code references} finds the node of a {@code $ref}. */
    public Schema(Map<?, ?> node, Function<String, Map<?, ?>> references) {
        this(node, references, false);
    }

    Schema(Map<?, ?> node, Function<String, Map<?, ?>> references, boolean closed) {
        for (Object keyword : node.keySet()) {
            if (!KNOWN.contains(keyword)) {
                throw new IllegalArgumentException("schema keyword: " + keyword + " (expected: one of " + KNOWN + ")");
            }
        }
        this.node = node.get("$ref") instanceof String reference ? references.apply(reference) : node;
        this.references = references;
        this.closed = closed;
    }

    /** Refuses a value with a message that names the place, the value and the expectation. */
    public void check(String place, @Nullable Object value) {
        List<String> complaints = complaints(place, value);
        if (!complaints.isEmpty()) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, complaints.getFirst(), "See /openapi.json for what the operation takes.");
        }
    }

    /** Everything that is wrong with a value, each with its place; empty if it fits. */
    public List<String> complaints(String place, @Nullable Object value) {
        List<String> complaints = new ArrayList<>();
        new SchemaCheck(node, references, closed, complaints).check(place, value);
        return complaints;
    }

    /** Reads JSON text that came from a client: refused if it does not fit, then made a record. */
    public <T> T read(Class<T> type, byte[] json) {
        check("", Json.tree(json));
        return Json.readStrict(type, json);
    }

    /** The value of a query parameter's or path variable's text. */
    Object parseText(String name, String text) {
        Object value = text;
        if ("integer".equals(node.get("type"))) {
            value = text.matches("-?[0-9]{1,18}") ? (Object) Long.valueOf(text) : text;
        } else if ("boolean".equals(node.get("type"))) {
            value = text.equals("true") ? (Object) true : text.equals("false") ? (Object) false : text;
        }
        check(name, value);
        return value;
    }

    /** Whether it is for something that comes more than once. */
    boolean isList() {
        return "array".equals(node.get("type"));
    }

    /** The values of a query parameter that may be there more than once. */
    List<Object> parseTexts(String name, List<String> texts) {
        Schema each = node.get("items") instanceof Map<?, ?> items ? new Schema(items, references, closed) : this;
        List<Object> values = texts.stream().map(text -> each.parseText(name, text)).toList();
        check(name, values);
        return values;
    }

    Optional<Object> defaultValue() {
        return Optional.ofNullable(node.get("default")).map(value -> value instanceof Integer number ? number.longValue() : value);
    }

    /** A value as messages show it: cut, and without control characters. */
    static String shown(@Nullable Object value) {
        String text = String.valueOf(value);
        String cut = text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
        return cut.codePoints()
                .map(point -> Character.isISOControl(point) || Character.getType(point) == Character.FORMAT ? '?' : point)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** The same schema, in which an object has no fields but the described ones: for what a server sends. */
    public Schema closed() {
        return new Schema(node, references, true);
    }
}
