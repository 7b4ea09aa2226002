package dev.sandglass.wire.dockerfile;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.document.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The instructions of a text: comments are gone, and what was written in several lines is one. Used by one thread, once. */
final class Lines {
    private static final Pattern DIRECTIVE = Pattern.compile("\\s*#\\s*([A-Za-z]+)\\s*=\\s*(.*?)\\s*");
    private static final Pattern HEREDOC = Pattern.compile("\\d*<<(-?)(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\\2");
    private static final Set<String> WITH_HEREDOCS = Set.of("RUN", "COPY", "ADD");
    private static final int MOST = 1000;

    private final String label;
    private final List<String> raw;
    private char escape = '\\';
    private int next;

    private Lines(String label, String text) {
        this.label = label;
        this.raw = text.lines().toList();
    }

    static List<Line> of(String label, String text) {
        return new Lines(label, text).all();
    }

    private List<Line> all() {
        directives();
        List<Line> lines = new ArrayList<>();
        while (next < raw.size()) {
            if (isNothing(raw.get(next))) {
                next++;
                continue;
            }
            Line line = joined();
            lines.add(line.with(heredocs(line)));
            if (lines.size() > MOST) {
                throw line.refused(0, "more than " + MOST + " instructions", "Put what belongs together into one RUN.");
            }
        }
        return lines;
    }

    private static boolean isNothing(String text) {
        return text.isBlank() || text.stripLeading().startsWith("#");
    }

    /** They stand before all else, and of those that are known one counts here. */
    private void directives() {
        for (; next < raw.size(); next++) {
            Matcher found = DIRECTIVE.matcher(raw.get(next));
            if (!found.matches()) {
                return;
            }
            String name = found.group(1).toLowerCase(Locale.ROOT);
            if (!Set.of("syntax", "check", "escape").contains(name)) {
                return; // a comment like any other, and the last of its kind
            }
            if (name.equals("escape")) {
                String value = found.group(2);
                if (!value.equals("\\") && !value.equals("`")) {
                    throw new SandglassException(
                            ErrorCode.INVALID_REQUEST, new Place(label, next + 1, 1) + ": escape: " + value + " (expected: \\ or `)", "Correct the Dockerfile at that place.");
                }
                escape = value.charAt(0);
            }
        }
    }

    private Line joined() {
        StringBuilder text = new StringBuilder();
        List<Line.Piece> pieces = new ArrayList<>();
        boolean goesOn = true;
        while (goesOn && next < raw.size()) {
            String one = raw.get(next++);
            if (!pieces.isEmpty() && isNothing(one)) {
                continue;
            }
            int begin = pieces.isEmpty() ? one.length() - one.stripLeading().length() : 0;
            String rest = one.substring(begin);
            String ended = rest.stripTrailing();
            goesOn = ended.endsWith(String.valueOf(escape));
            pieces.add(new Line.Piece(text.length(), next, begin + 1));
            text.append(goesOn ? ended.substring(0, ended.length() - 1) : rest);
        }
        return new Line(label, text.toString().stripTrailing(), pieces, List.of(), escape);
    }

    private List<Heredoc> heredocs(Line line) {
        if (!WITH_HEREDOCS.contains(line.name().toUpperCase(Locale.ROOT))) {
            return List.of();
        }
        List<Heredoc> found = new ArrayList<>();
        for (Words.Word word : Words.split(line, line.rest())) {
            Matcher begun = HEREDOC.matcher(word.raw());
            if (begun.matches()) {
                boolean withoutTabs = !begun.group(1).isEmpty();
                found.add(new Heredoc(begun.group(3), !begun.group(2).isEmpty(), withoutTabs, until(line, word, begun.group(3), withoutTabs)));
            }
        }
        return found;
    }

    private String until(Line line, Words.Word word, String end, boolean withoutTabs) {
        StringBuilder content = new StringBuilder();
        while (next < raw.size()) {
            String one = raw.get(next++);
            if ((withoutTabs ? one.replaceFirst("^\t+", "") : one).equals(end)) {
                return content.toString();
            }
            content.append(one).append('\n');
        }
        throw line.refused(word.at(), "no line " + end + " ends what begins here");
    }

    static boolean isHeredoc(String word) {
        return HEREDOC.matcher(word).matches();
    }
}
