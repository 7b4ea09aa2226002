package dev.sandglass.wire.document;

import dev.sandglass.wire.SandglassException;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One value of a document, which knows where it stands: who asks for another type than it is gets an error that says so. */
public final class Value {
    private static final int SHOWN = 60;

    enum Kind {
        TEXT,
        NUMBER,
        FLAG,
        LIST,
        FIELDS
    }

    private final String name;
    private final Place place;
    private final Kind kind;
    private final @Nullable String text;
    private final List<Value> items;
    private final Optional<Fields> fields;

    private Value(String name, Place place, Kind kind, @Nullable String text, List<Value> items, Optional<Fields> fields) {
        this.name = name;
        this.place = place;
        this.kind = kind;
        this.text = text;
        this.items = items;
        this.fields = fields;
    }

    static Value scalar(String name, Place place, @Nullable String text, Kind kind) {
        return new Value(name, place, kind, text, List.of(), Optional.empty());
    }

    static Value list(String name, Place place, List<Value> items) {
        return new Value(name, place, Kind.LIST, null, List.copyOf(items), Optional.empty());
    }

    static Value fields(String name, Place place, Fields fields) {
        return new Value(name, place, Kind.FIELDS, null, List.of(), Optional.of(fields));
    }

    public Place place() {
        return place;
    }

    /** Whether nothing is said: an empty value counts as one that is absent. */
    boolean isAbsent() {
        return kind != Kind.LIST && kind != Kind.FIELDS && text == null;
    }

    public boolean isList() {
        return kind == Kind.LIST;
    }

    public boolean isMapping() {
        return kind == Kind.FIELDS;
    }

    /** A text as it was written; a number or true counts as its letters. */
    public String text() {
        if (text == null) {
            throw refused("a text");
        }
        return text;
    }

    /** A whole number within bounds. */
    public long number(long least, long most) {
        String expected = "a whole number, " + least + " to " + most;
        try {
            long number = decimal(expected).longValueExact();
            if (number < least || number > most) {
                throw refused(expected);
            }
            return number;
        } catch (ArithmeticException fraction) {
            throw refused(expected);
        }
    }

    public double decimal() {
        return decimal("a number").doubleValue();
    }

    private BigDecimal decimal(String expected) {
        if (kind != Kind.NUMBER || text == null || text.length() > SHOWN) {
            throw refused(expected);
        }
        try {
            BigDecimal number = new BigDecimal(text);
            if (number.precision() - number.scale() > SHOWN) {
                throw refused(expected);
            }
            return number;
        } catch (NumberFormatException another) {
            throw refused(expected);
        }
    }

    public boolean flag() {
        if (kind != Kind.FLAG || text == null) {
            throw refused("true or false");
        }
        return Boolean.parseBoolean(text);
    }

    public List<Value> items() {
        if (kind != Kind.LIST) {
            throw refused("a list");
        }
        return items;
    }

    /** What stands below it: under that key, or as the item of that number. */
    Optional<Value> below(String step) {
        for (int i = 0; i < items.size(); i++) {
            if (step.equals(Integer.toString(i))) {
                return Optional.of(items.get(i));
            }
        }
        return fields.flatMap(all -> all.find(step));
    }

    /** A list of texts. */
    public List<String> texts() {
        return items().stream().map(Value::text).toList();
    }

    public Fields fields() {
        return fields.orElseThrow(() -> refused("lines of `key: value`"));
    }

    /** A mapping whose keys are free: texts by name, in their order. */
    public Map<String, String> pairs() {
        Map<String, String> pairs = new LinkedHashMap<>();
        fields().entries().forEach((key, value) -> pairs.put(key, value.isAbsent() ? "" : value.text()));
        return pairs;
    }

    /** What to throw about this value. */
    public SandglassException refused(String expected) {
        return Documents.refused(place + ": " + name + ": " + shown() + " (expected: " + expected + ")", null);
    }

    private String shown() {
        return switch (kind) {
            case LIST -> "a list";
            case FIELDS -> "a mapping";
            case TEXT, NUMBER, FLAG -> text == null ? "nothing" : text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
        };
    }
}
