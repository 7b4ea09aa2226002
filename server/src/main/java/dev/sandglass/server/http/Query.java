package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The query parameters of a request: only those that the operation takes, each as its schema wants it, and once unless that is a list. */
public final class Query {
    private final Map<String, Object> values;

    private Query(Map<String, Object> values) {
        this.values = values;
    }

    static Query parse(@Nullable String raw, Operation operation) {
        Map<String, List<String>> given = new LinkedHashMap<>();
        if (raw != null && !raw.isEmpty()) {
            for (String pair : raw.split("&", -1)) {
                int equals = pair.indexOf('=');
                String name = PercentText.decodeQuery("A query parameter's name", equals < 0 ? pair : pair.substring(0, equals));
                if (!operation.query().containsKey(name)) {
                    throw invalid("Unknown query parameter \"" + Schema.shown(name) + "\".", takes(operation));
                }
                String text = PercentText.decodeQuery(name, equals < 0 ? "" : pair.substring(equals + 1));
                given.computeIfAbsent(name, _ -> new ArrayList<>()).add(text);
            }
        }
        Map<String, Object> values = new HashMap<>();
        operation.query().forEach((name, schema) -> {
            List<String> texts = given.getOrDefault(name, List.of());
            if (schema.isList()) {
                values.put(name, schema.parseTexts(name, texts));
            } else if (texts.size() > 1) {
                throw invalid("The query parameter " + name + " is there twice.", "Give it once.");
            } else if (!texts.isEmpty()) {
                values.put(name, schema.parseText(name, texts.getFirst()));
            }
        });
        for (String name : operation.requiredQuery()) {
            if (!values.containsKey(name)) {
                throw invalid("The query parameter " + name + " is missing.", takes(operation));
            }
        }
        operation.query().forEach((name, schema) -> schema.defaultValue().ifPresent(value -> values.putIfAbsent(name, value)));
        return new Query(values);
    }

    /** A parameter that is required or has a default. */
    public String text(String name) {
        return optionalText(name).orElseThrow(() -> new IllegalArgumentException("no query parameter " + name));
    }

    public Optional<String> optionalText(String name) {
        return Optional.ofNullable((String) values.get(name));
    }

    /** A parameter that may be there more than once, in the order in which its values came. */
    public List<String> texts(String name) {
        return values.get(name) instanceof List<?> list ? list.stream().map(String.class::cast).toList() : List.of();
    }

    public OptionalLong number(String name) {
        return values.get(name) instanceof Number number ? OptionalLong.of(number.longValue()) : OptionalLong.empty();
    }

    public boolean flag(String name) {
        return Boolean.TRUE.equals(values.get(name));
    }

    /** Permission bits, written in octal. */
    public OptionalInt octal(String name) {
        return values.get(name) instanceof String text ? OptionalInt.of(Integer.parseInt(text, 8)) : OptionalInt.empty();
    }

    public Optional<Instant> time(String name) {
        return optionalText(name).map(Instant::parse);
    }

    private static String takes(Operation operation) {
        return operation.query().isEmpty()
                ? "This operation takes none."
                : "This operation takes " + String.join(", ", operation.query().keySet().stream().sorted().toList()) + ".";
    }

    private static SandglassException invalid(String message, String hint) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, message, hint);
    }
}
