package dev.sandglass.wire.dockerfile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The words of an instruction, with quotes and variables as the shell has them, as far as Dockerfiles do. */
final class Words {
    private static final int LONGEST = 1 << 15;
    private static final int LONGEST_FILE = 1 << 16;
    private static final int DEEPEST = 8;

    /**
     * A word as it was written.
     *
     * @param at where in its line it begins
     */
    record Word(String raw, int at) {}

    private final Line line;
    private final Map<String, String> variables;
    private final Allowance allowance;

    /**
     * @param variables those that count there
     * @param allowance for all words of the file
     */
    Words(Line line, Map<String, String> variables, Allowance allowance) {
        this.line = line;
        this.variables = variables;
        this.allowance = allowance;
    }

    /** For a few words. */
    Words(Line line, Map<String, String> variables) {
        this(line, variables, new Allowance());
    }

    /** Divides what stands from there on at blanks that are not quoted. */
    static List<Word> split(Line line, int from) {
        String text = line.text();
        List<Word> words = new ArrayList<>();
        int begin = -1;
        char quote = 0;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote == 0 && Character.isWhitespace(c)) {
                if (begin >= 0) {
                    words.add(new Word(text.substring(begin, i), begin));
                    begin = -1;
                }
                continue;
            }
            begin = begin < 0 ? i : begin;
            if (c == line.escape() && quote != '\'') {
                i++;
            } else if (quote == 0 ? c == '"' || c == '\'' : c == quote) {
                quote = quote == 0 ? c : 0;
            }
        }
        if (begin >= 0) {
            words.add(new Word(text.substring(begin), begin));
        }
        return words;
    }

    /** A word as it is meant. */
    String meant(Word word) {
        return allowance.spend(meant(word.raw(), word.at(), 0), line, word.at());
    }

    private String meant(String raw, int at, int depth) {
        StringBuilder meant = new StringBuilder();
        char quote = 0;
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == line.escape() && quote != '\'' && i + 1 < raw.length()) {
                char escaped = raw.charAt(++i);
                boolean plain = quote == '"' && escaped != '"' && escaped != '$' && escaped != line.escape();
                meant.append(plain ? String.valueOf(c) : "").append(escaped);
            } else if (quote == 0 ? c == '"' || c == '\'' : c == quote) {
                quote = quote == 0 ? c : 0;
            } else if (c == '$' && quote != '\'') {
                int end = end(raw, i, at);
                meant.append(end == i ? "$" : value(raw.substring(i + 1, end + 1), at + i, depth));
                i = end;
            } else {
                meant.append(c);
            }
            if (meant.length() > LONGEST) {
                throw line.refused(at, "a value of more than " + LONGEST + " characters");
            }
        }
        if (quote != 0) {
            throw line.refused(at, "no " + quote + " ends what begins here");
        }
        return meant.toString();
    }

    /** The same of text in which only variables have a meaning. */
    String filled(String text, int at) {
        StringBuilder filled = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == line.escape() && i + 1 < text.length() && text.charAt(i + 1) == '$') {
                filled.append(text.charAt(++i));
            } else if (c == '$') {
                int end = end(text, i, at);
                filled.append(end == i ? "$" : value(text.substring(i + 1, end + 1), at, 0));
                i = end;
            } else {
                filled.append(c);
            }
            if (filled.length() > LONGEST_FILE) {
                throw line.refused(at, "a file of more than " + LONGEST_FILE + " characters");
            }
        }
        return allowance.spend(filled.toString(), line, at);
    }

    /** The last character of the variable that begins there; the same place if none does. */
    private int end(String raw, int dollar, int at) {
        int i = dollar + 1;
        if (i < raw.length() && raw.charAt(i) == '{') {
            int open = 0;
            for (; i < raw.length(); i++) {
                open += raw.charAt(i) == '{' ? 1 : raw.charAt(i) == '}' ? -1 : 0;
                if (open == 0) {
                    return i;
                }
            }
            throw line.refused(at + dollar, "no } ends the variable that begins here");
        }
        while (i < raw.length() && isLetter(raw.charAt(i), i == dollar + 1)) {
            i++;
        }
        return i - 1;
    }

    private static boolean isLetter(char c, boolean first) {
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (!first && c >= '0' && c <= '9');
    }

    /** @param reference a name, or what stands between braces, with them */
    private String value(String reference, int at, int depth) {
        if (!reference.startsWith("{")) {
            return variables.getOrDefault(reference, "");
        }
        String inner = reference.substring(1, reference.length() - 1);
        int end = 0;
        while (end < inner.length() && isLetter(inner.charAt(end), end == 0)) {
            end++;
        }
        String name = inner.substring(0, end);
        String rest = inner.substring(end);
        boolean notEmpty = rest.startsWith(":");
        String how = notEmpty ? rest.substring(1) : rest;
        if (name.isEmpty() || depth > DEEPEST || (!rest.isEmpty() && (how.isEmpty() || "-+?".indexOf(how.charAt(0)) < 0))) {
            throw line.refused(at, "$" + reference + " (expected: ${NAME}, ${NAME:-otherwise} or ${NAME:+instead})");
        }
        String value = variables.get(name);
        boolean there = value != null && !(notEmpty && value.isEmpty());
        if (rest.isEmpty() || (how.startsWith("-") && there)) {
            return value == null ? "" : value;
        }
        String other = meant(how.substring(1), at, depth + 1);
        if (how.startsWith("?") && !there) {
            throw line.refused(at, name + " has no value: " + other);
        }
        return how.startsWith("?") ? String.valueOf(value) : how.startsWith("-") || there ? other : "";
    }
}
