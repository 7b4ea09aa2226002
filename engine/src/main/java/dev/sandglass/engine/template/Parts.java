package dev.sandglass.engine.template;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Texts one after the other, each with its length before it: no others come to the same. Used by one thread. */
final class Parts {
    private final StringBuilder all = new StringBuilder();

    Parts text(String part) {
        all.append(part.length()).append(':').append(part);
        return this;
    }

    Parts text(Optional<String> part) {
        return texts(part.stream().toList());
    }

    Parts texts(List<String> parts) {
        all.append(parts.size()).append('*');
        parts.forEach(this::text);
        return this;
    }

    /** In the order of their names. */
    Parts pairs(Map<String, String> pairs) {
        all.append(pairs.size()).append('=');
        new TreeMap<>(pairs).forEach((name, value) -> text(name).text(value));
        return this;
    }

    @Override
    public String toString() {
        return all.toString();
    }
}
