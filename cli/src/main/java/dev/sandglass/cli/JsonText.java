package dev.sandglass.cli;

import dev.sandglass.wire.Json;
import java.util.List;

/** Wire records as JSON text: one line in a pipe, indented on a terminal. */
final class JsonText {
    private JsonText() {}

    static String of(Object value, Console console) {
        return finish(Json.write(value), console);
    }

    static String ofList(List<?> values, Console console) {
        StringBuilder json = new StringBuilder("[");
        for (Object value : values) {
            json.append(json.length() > 1 ? "," : "").append(Json.write(value));
        }
        return finish(json.append(']').toString(), console);
    }

    /** An object with one list of names. */
    static String ofNames(String field, List<String> names, Console console) {
        StringBuilder json = new StringBuilder("{\"").append(field).append("\":[");
        for (int i = 0; i < names.size(); i++) {
            json.append(i > 0 ? "," : "").append(Json.write(names.get(i)));
        }
        return finish(json.append("]}").toString(), console);
    }

    private static String finish(String json, Console console) {
        return (console.terminal(Console.OUT) ? indent(json) : json) + "\n";
    }

    static String indent(String json) {
        StringBuilder text = new StringBuilder(json.length() * 2);
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < json.length(); i++) {
            char character = json.charAt(i);
            if (quoted) {
                text.append(character);
                if (character == '\\') {
                    text.append(json.charAt(++i));
                }
                quoted = character != '"';
                continue;
            }
            char next = i + 1 < json.length() ? json.charAt(i + 1) : 0;
            switch (character) {
                case '"' -> {
                    quoted = true;
                    text.append(character);
                }
                case '{', '[' -> {
                    text.append(character);
                    if (next == '}' || next == ']') {
                        text.append(next);
                        i++;
                    } else {
                        depth++;
                        text.append('\n').repeat(' ', depth * 2);
                    }
                }
                case '}', ']' -> {
                    depth--;
                    text.append('\n').repeat(' ', depth * 2).append(character);
                }
                case ',' -> text.append(",\n").repeat(' ', depth * 2);
                case ':' -> text.append(": ");
                default -> text.append(character);
            }
        }
        return text.toString();
    }
}
