package dev.sandglass.wire;

import java.util.Locale;
import java.util.Set;

/** JSON turned into YAML: blocks instead of braces, quotes only where a plain word would be taken for something else. */
public final class Yaml {
    private static final Set<String> NOT_PLAIN = Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

    private final String json;
    private final StringBuilder out = new StringBuilder();
    private int at;

    private Yaml(String json) {
        this.json = json;
    }

    /** The YAML of a compact JSON text without white space between its parts. */
    public static String of(String json) {
        Yaml yaml = new Yaml(json);
        yaml.value(0, false);
        return yaml.out.toString();
    }

    /** Writes a value; a block after a key begins on the next line, one after a dash on the same. */
    private void value(int depth, boolean afterKey) {
        char first = json.charAt(at);
        boolean block = (first == '{' || first == '[') && json.charAt(at + 1) != first + 2;
        if (!block) {
            out.append(afterKey ? " " : "").append(scalar()).append('\n');
            return;
        }
        out.append(afterKey ? "\n" : "");
        at++;
        for (boolean begun = false; ; begun = true) {
            if (begun || afterKey) {
                out.append(" ".repeat(depth * 2));
            }
            if (first == '{') {
                out.append(scalar()).append(':');
                at++;
                value(depth + 1, true);
            } else {
                out.append("- ");
                value(depth + 1, false);
            }
            if (json.charAt(at++) != ',') {
                return;
            }
        }
    }

    /** A text, number, word or empty collection. */
    private String scalar() {
        int from = at;
        if (json.charAt(at) == '"') {
            do {
                at += json.charAt(at) == '\\' ? 2 : 1;
            } while (json.charAt(at) != '"');
            at++;
            String content = json.substring(from + 1, at - 1);
            return plain(content) ? content : json.substring(from, at);
        }
        if (json.charAt(at) == '{' || json.charAt(at) == '[') {
            at += 2;
            return json.substring(from, at);
        }
        while (at < json.length() && ",]}".indexOf(json.charAt(at)) < 0) {
            at++;
        }
        return json.substring(from, at);
    }

    private static boolean plain(String text) {
        if (text.isEmpty() || NOT_PLAIN.contains(text.toLowerCase(Locale.ROOT)) || !letter(text.charAt(0))) {
            return false;
        }
        for (int i = 1; i < text.length(); i++) {
            char character = text.charAt(i);
            if (!letter(character) && !(character >= '0' && character <= '9') && "-_./".indexOf(character) < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean letter(char character) {
        return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character == '/';
    }
}
