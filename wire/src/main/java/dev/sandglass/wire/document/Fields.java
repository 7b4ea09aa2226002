package dev.sandglass.wire.document;

import dev.sandglass.wire.SandglassException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A mapping of a document. A known key may be written {@code like_this} or {@code likeThis}. */
public final class Fields {
    /** @param key where the key stands */
    private record Entry(Place key, Value value) {}

    private static final Pattern STEP = Pattern.compile("[^.\\[\\]]+");

    private final String name;
    private final Place place;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    Fields(String name, Place place) {
        this.name = name;
        this.place = place;
    }

    void add(String key, Place at, Value value) {
        if (entries.putIfAbsent(key, new Entry(at, value)) != null) {
            throw Documents.refused(at + ": " + key + " stands there twice (expected: each key once)", null);
        }
    }

    /** Refuses keys that are none of these. */
    public Fields only(String... known) {
        Set<String> all = Set.of(known);
        Map<String, String> seen = new LinkedHashMap<>();
        entries.forEach((key, entry) -> {
            if (!all.contains(snake(key))) {
                throw Documents.refused(entry.key() + ": " + key + " is no known key" + Nearest.to(snake(key), List.of(known)), null);
            }
            String before = seen.put(snake(key), key);
            if (before != null) {
                throw Documents.refused(entry.key() + ": " + key + " says the same as " + before + " (expected: one of them)", null);
            }
        });
        return this;
    }

    public Optional<Value> find(String key) {
        Entry plain = entries.get(key);
        Entry found = plain != null ? plain : entries.entrySet().stream().filter(each -> snake(each.getKey()).equals(key)).map(Map.Entry::getValue).findFirst().orElse(null);
        return Optional.ofNullable(found).map(Entry::value).filter(value -> !value.isAbsent());
    }

    /** The value of a key that must be there. */
    public Value need(String key) {
        return find(key).orElseThrow(() -> refused(key + " is missing"));
    }

    /**
     * Where the value of a path such as {@code services[0].port} stands, or the last on the way there that does; nothing if not even its first word is a key.
     */
    public Optional<Place> place(String path) {
        Optional<Value> reached = Optional.of(Value.fields(name, place, this));
        Optional<Place> found = Optional.empty();
        Matcher step = STEP.matcher(path);
        while (reached.isPresent() && step.find()) {
            reached = reached.get().below(step.group());
            if (reached.isPresent()) {
                found = Optional.of(reached.get().place());
            }
        }
        return found;
    }

    public @Nullable String text(String key) {
        return find(key).map(Value::text).orElse(null);
    }

    public @Nullable Long number(String key, long least, long most) {
        return find(key).map(value -> value.number(least, most)).orElse(null);
    }

    public @Nullable Boolean flag(String key) {
        return find(key).map(Value::flag).orElse(null);
    }

    public @Nullable List<String> texts(String key) {
        return find(key).map(Value::texts).orElse(null);
    }

    public @Nullable Map<String, String> pairs(String key) {
        return find(key).map(Value::pairs).orElse(null);
    }

    /** All of them, in their order; one may be empty. */
    Map<String, Value> entries() {
        Map<String, Value> all = new LinkedHashMap<>();
        entries.forEach((key, entry) -> all.put(key, entry.value()));
        return Collections.unmodifiableMap(all);
    }

    /** What to throw about the mapping as a whole. */
    public SandglassException refused(String what) {
        return Documents.refused(place + ": " + name + ": " + what, null);
    }

    private static String snake(String key) {
        return key.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT);
    }
}
