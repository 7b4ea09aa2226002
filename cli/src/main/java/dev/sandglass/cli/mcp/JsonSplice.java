package dev.sandglass.cli.mcp;

import dev.sandglass.wire.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Puts a value into a JSON text and leaves every other byte of it alone. The text is known to be JSON. */
final class JsonSplice {
    /** A field of an object: where its name begins, and where its value is. */
    private record Member(String name, int begin, int valueBegin, int valueEnd) {}

    private final String text;
    private final String step;
    private int at;

    private JsonSplice(String text) {
        this.text = text;
        this.step = text.contains("\n\t") ? "\t" : "  ";
    }

    /**
     * The text with a value at the end of a path of names; objects on the way that are missing are made.
     *
     * @param value JSON in one line
     * @throws IllegalArgumentException if something on the way is no object; the message names it
     */
    static String put(String text, List<String> path, String value) {
        JsonSplice splice = new JsonSplice(text);
        splice.space();
        return splice.put(splice.at, path, value);
    }

    private String put(int object, List<String> path, String value) {
        if (object >= text.length() || text.charAt(object) != '{') {
            throw new IllegalArgumentException("what is to have " + path.getFirst());
        }
        at = object;
        List<Member> members = members();
        int close = at - 1;
        Optional<Member> known = members.stream().filter(member -> member.name.equals(path.getFirst())).findFirst();
        if (known.isEmpty()) {
            return insert(object, members, close, path, value);
        }
        return path.size() == 1
                ? text.substring(0, known.get().valueBegin) + value + text.substring(known.get().valueEnd)
                : put(known.get().valueBegin, path.subList(1, path.size()), value);
    }

    /** Behind the last field, written like that: in a line of its own, or in the same line. */
    private String insert(int object, List<Member> members, int close, List<String> path, String value) {
        @Nullable Member last = members.isEmpty() ? null : members.getLast();
        boolean lines = last == null ? close - object == text.strip().length() - 1 || text.strip().indexOf('\n') > 0 : text.lastIndexOf('\n', last.begin) > object;
        String indent = last != null ? indent(last.begin) : indent(object) + step;
        String entry = entry(path, value, lines ? indent : null);
        if (last == null) {
            return text.substring(0, object + 1) + (lines ? "\n" + indent + entry + "\n" + indent(object) : entry) + text.substring(close);
        }
        return text.substring(0, last.valueEnd) + (lines ? ",\n" + indent : ", ") + entry + text.substring(last.valueEnd);
    }

    /** @param indent of the line that it begins; null where everything is in one line */
    private String entry(List<String> path, String value, @Nullable String indent) {
        String name = Json.write(path.getFirst()) + ": ";
        if (path.size() == 1) {
            return name + value;
        }
        String inner = entry(path.subList(1, path.size()), value, indent == null ? null : indent + step);
        return name + (indent == null ? "{" + inner + "}" : "{\n" + indent + step + inner + "\n" + indent + "}");
    }

    private int lineBegin(int position) {
        return text.lastIndexOf('\n', position - 1) + 1;
    }

    private String indent(int position) {
        int begin = lineBegin(position);
        int end = begin;
        while (end < position && (text.charAt(end) == ' ' || text.charAt(end) == '\t')) {
            end++;
        }
        return text.substring(begin, end);
    }

    /** The fields of the object that begins here; afterwards this stands behind it. */
    private List<Member> members() {
        List<Member> members = new ArrayList<>();
        at++;
        space();
        while (text.charAt(at) != '}') {
            int begin = at;
            string();
            String name = String.valueOf(Json.tree(text.substring(begin, at).getBytes(StandardCharsets.UTF_8)));
            space();
            at++; // the colon
            space();
            int valueBegin = at;
            value();
            members.add(new Member(name, begin, valueBegin, at));
            space();
            if (text.charAt(at) == ',') {
                at++;
                space();
            }
        }
        at++;
        return members;
    }

    private void value() {
        int depth = 0;
        do {
            char character = text.charAt(at);
            if (character == '"') {
                string();
            } else {
                depth += "{[".indexOf(character) >= 0 ? 1 : "}]".indexOf(character) >= 0 ? -1 : 0;
                at++;
            }
        } while (depth > 0);
        while (at < text.length() && ",}] \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++; // the rest of a number or word
        }
    }

    private void string() {
        at++;
        while (text.charAt(at) != '"') {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        at++;
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }
}
