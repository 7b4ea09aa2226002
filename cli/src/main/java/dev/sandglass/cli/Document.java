package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Yaml;
import java.util.List;

/** Wire records as text for programs: JSON, one line in a pipe and indented on a terminal, or YAML. */
final class Document {
    private Document() {}

    static String of(Object value, Format format, Console console) {
        return text(Json.write(value), format, console);
    }

    static String ofList(List<?> values, Format format, Console console) {
        StringBuilder json = new StringBuilder("[");
        for (Object value : values) {
            json.append(json.length() > 1 ? "," : "").append(Json.write(value));
        }
        return text(json.append(']').toString(), format, console);
    }

    /** An object with one list of names. */
    static String ofNames(String field, List<String> names, Format format, Console console) {
        StringBuilder json = new StringBuilder("{\"").append(field).append("\":[");
        for (int i = 0; i < names.size(); i++) {
            json.append(i > 0 ? "," : "").append(Json.write(names.get(i)));
        }
        return text(json.append("]}").toString(), format, console);
    }

    /** A record as JSON with one more field before its own. */
    static String with(String field, String value, Object record) {
        String json = Json.write(record);
        return "{\"" + field + "\":" + Json.write(value) + (json.length() > 2 ? "," : "") + json.substring(1);
    }

    /** JSON in the format asked for; what a terminal could act on is escaped in it. */
    static String text(String json, Format format, Console console) {
        String safe = Inert.json(json);
        return switch (format) {
            case YAML -> Yaml.of(safe);
            case JSON, TABLE -> (console.terminal(Console.OUT) ? indent(safe) : safe) + "\n";
        };
    }

    /** One of many values that follow each other: a line of JSON, or a document of YAML. */
    static String next(String json, Format format) {
        String safe = Inert.json(json);
        return format == Format.YAML ? "---\n" + Yaml.of(safe) : safe + "\n";
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
