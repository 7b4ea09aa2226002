package dev.sandglass.server.http;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One walk of a schema over a value; collects complaints. */
record SchemaCheck(Map<?, ?> node, Function<String, Map<?, ?>> references, boolean closed, List<String> complaints) {

    void check(String place, @Nullable Object value) {
        Object type = node.get("type");
        if (type != null && !hasType(type, value)) {
            complain(place, value, type instanceof List<?> types ? "one of " + types : type);
            return;
        }
        if (node.get("enum") instanceof List<?> allowed && !allowed.contains(value)) {
            complain(place, value, "one of " + allowed);
        }
        if (node.containsKey("const") && !Objects.equals(node.get("const"), value)) {
            complain(place, value, node.get("const"));
        }
        switch (value) {
            case String text -> checkText(place, text);
            case Number number -> checkNumber(place, number);
            case List<?> list -> checkList(place, list);
            case Map<?, ?> map -> checkObject(place, map);
            case null, default -> {}
        }
    }

    private static boolean hasType(Object type, @Nullable Object value) {
        if (type instanceof List<?> types) {
            return types.stream().anyMatch(one -> hasType(one, value));
        }
        return switch ((String) type) {
            case "null" -> value == null;
            case "string" -> value instanceof String;
            case "boolean" -> value instanceof Boolean;
            case "integer" -> value instanceof Long || value instanceof Integer;
            case "number" -> value instanceof Number;
            case "array" -> value instanceof List;
            case "object" -> value instanceof Map;
            default -> throw new IllegalArgumentException("schema type: " + type);
        };
    }

    private void checkText(String place, String text) {
        int length = text.codePointCount(0, text.length());
        if (limit("minLength") instanceof Number least && length < least.longValue()) {
            complain(place, text, "at least " + least + " characters");
        }
        if (limit("maxLength") instanceof Number most && length > most.longValue()) {
            complain(place, text, "at most " + most + " characters");
        }
        if (node.get("pattern") instanceof String pattern && !Pattern.compile(pattern).matcher(text).find()) {
            complain(place, text, pattern);
        }
        if ("date-time".equals(node.get("format")) && !isTime(text)) {
            complain(place, text, "a time like 2026-01-31T12:00:00Z");
        }
        if ("base64".equals(node.get("contentEncoding")) && !isBase64(text)) {
            complain(place, text, "base64");
        }
    }

    private void checkNumber(String place, Number number) {
        if (limit("minimum") instanceof Number least && number.doubleValue() < least.doubleValue()) {
            complain(place, number, ">= " + least);
        }
        if (limit("maximum") instanceof Number most && number.doubleValue() > most.doubleValue()) {
            complain(place, number, "<= " + most);
        }
    }

    private void checkList(String place, List<?> list) {
        if (limit("minItems") instanceof Number least && list.size() < least.longValue()) {
            complain(place, list.size() + " items", "at least " + least);
        }
        if (limit("maxItems") instanceof Number most && list.size() > most.longValue()) {
            complain(place, list.size() + " items", "at most " + most);
        }
        if (node.get("items") instanceof Map<?, ?> items) {
            for (int i = 0; i < list.size(); i++) {
                checkInner(items, place + "[" + i + "]", list.get(i));
            }
        }
    }

    private void checkObject(String place, Map<?, ?> object) {
        if (node.get("required") instanceof List<?> required) {
            for (Object name : required) {
                if (!object.containsKey(name)) {
                    complaints.add(inner(place, name) + " is missing");
                }
            }
        }
        Map<?, ?> properties = node.get("properties") instanceof Map<?, ?> map ? map : Map.of();
        object.forEach((name, value) -> {
            if (properties.get(name) instanceof Map<?, ?> property) {
                checkInner(property, inner(place, name), value);
            } else if (node.get("additionalProperties") instanceof Map<?, ?> additional) {
                checkInner(additional, inner(place, name), value);
            } else if ((closed && !properties.isEmpty()) || Boolean.FALSE.equals(node.get("additionalProperties"))) {
                complaints.add(inner(place, name) + " is not a known field (expected: " + properties.keySet() + ")");
            }
        });
    }

    private void checkInner(Map<?, ?> schema, String place, @Nullable Object value) {
        complaints.addAll(new Schema(schema, references, closed).complaints(place, value));
    }

    private @Nullable Object limit(String keyword) {
        return node.get(keyword);
    }

    private static String inner(String place, Object name) {
        String shown = Schema.shown(name);
        return place.isEmpty() ? shown : place + "." + shown;
    }

    private void complain(String place, @Nullable Object value, @Nullable Object expected) {
        String shown = Boolean.TRUE.equals(node.get("writeOnly")) ? "***" : Schema.shown(value); // a secret is in no answer
        complaints.add((place.isEmpty() ? "The body" : place) + ": " + shown + " (expected: " + expected + ")");
    }

    private static boolean isTime(String text) {
        try {
            Instant.parse(text);
            return true;
        } catch (DateTimeParseException noTime) {
            return false;
        }
    }

    private static boolean isBase64(String text) {
        try {
            Base64.getDecoder().decode(text);
            return true;
        } catch (IllegalArgumentException notBase64) {
            return false;
        }
    }
}
