package dev.sandglass.server.mcp;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a tool was called with, held to its schema. */
record Arguments(Map<String, Object> values) {
    /** One that is required or has a default. */
    String text(String name) {
        return find(name).orElseThrow(() -> new IllegalArgumentException("no argument " + name));
    }

    Optional<String> find(String name) {
        return Optional.ofNullable((String) values.get(name));
    }

    /** One that is required or has a default. */
    long number(String name) {
        return findNumber(name).orElseThrow(() -> new IllegalArgumentException("no argument " + name));
    }

    Optional<Long> findNumber(String name) {
        return Optional.ofNullable(values.get(name)).map(value -> ((Number) value).longValue());
    }

    boolean flag(String name) {
        return Boolean.TRUE.equals(values.get(name));
    }

    /** A list of texts, empty if it was not given. */
    List<String> texts(String name) {
        return values.get(name) instanceof List<?> list ? list.stream().map(String.class::cast).toList() : List.of();
    }

    /** Texts by name, if they were given. */
    Optional<Map<String, String>> pairs(String name) {
        if (!(values.get(name) instanceof Map<?, ?> map)) {
            return Optional.empty();
        }
        Map<String, String> pairs = new LinkedHashMap<>();
        map.forEach((key, value) -> pairs.put((String) key, (String) value));
        return Optional.of(pairs);
    }
}
