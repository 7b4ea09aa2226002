package dev.sandglass.wire.dockerfile;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Words written as a list of JSON: they are as they stand there, but for the variables of COPY. */
final class JsonWords {
    private JsonWords() {}

    /** Empty if what begins there is no such list; then it is for the shell. */
    static Optional<List<String>> texts(Line line, int from) {
        String text = line.text().substring(from).strip();
        if (!text.startsWith("[") || !text.endsWith("]")) {
            return Optional.empty();
        }
        try {
            return Json.tree(text.getBytes(StandardCharsets.UTF_8)) instanceof List<?> list && list.stream().allMatch(String.class::isInstance)
                    ? Optional.of(list.stream().map(String.class::cast).toList())
                    : Optional.empty();
        } catch (SandglassException none) {
            return Optional.empty();
        }
    }

    /** The same as words, which all stand where the list does. */
    static Optional<List<Words.Word>> of(Line line, int from) {
        return texts(line, from).map(texts -> texts.stream().map(text -> new Words.Word(quoted(text, line.escape()), from)).toList());
    }

    /** As a word of which the quotes are taken away again. */
    private static String quoted(String text, char escape) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> quoted.append(c == '"' || c == escape ? String.valueOf(escape) : "").append((char) c));
        return quoted.append('"').toString();
    }
}
