package dev.sandglass.server.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A path of literal segments and {@code {variables}}, matched against raw paths so that %2F never splits a segment. */
public record PathPattern(String text) {
    public PathPattern {
        if (!text.startsWith("/")) {
            throw new IllegalArgumentException("path: " + text + " (expected: it begins with /)");
        }
    }

    /** Whether a raw path is one of this pattern. */
    public boolean fits(String rawPath) {
        return match(segments(rawPath)).isPresent();
    }

    /** The decoded variables if the raw segments fit. */
    public Optional<Map<String, String>> match(List<String> rawSegments) {
        List<String> own = segments(text);
        if (own.size() != rawSegments.size()) {
            return Optional.empty();
        }
        Map<String, String> variables = new LinkedHashMap<>();
        for (int i = 0; i < own.size(); i++) {
            String segment = own.get(i);
            String raw = rawSegments.get(i);
            if (isVariable(segment)) {
                variables.put(segment.substring(1, segment.length() - 1), raw);
            } else if (!segment.equals(raw)) {
                return Optional.empty();
            }
        }
        variables.replaceAll((name, raw) -> PercentText.decodeSegment(name, raw));
        return Optional.of(variables);
    }

    int variableCount() {
        return (int) segments(text).stream().filter(PathPattern::isVariable).count();
    }

    /** The segments of a raw path, still encoded; an empty one stays, so {@code //} is never the same as {@code /}. */
    static List<String> segments(String rawPath) {
        List<String> segments = new ArrayList<>();
        int begin = 1;
        for (int i = 1; i <= rawPath.length(); i++) {
            if (i == rawPath.length() || rawPath.charAt(i) == '/') {
                segments.add(rawPath.substring(begin, i));
                begin = i + 1;
            }
        }
        return segments;
    }

    private static boolean isVariable(String segment) {
        return segment.startsWith("{") && segment.endsWith("}");
    }

    @Override
    public String toString() {
        return text;
    }
}
