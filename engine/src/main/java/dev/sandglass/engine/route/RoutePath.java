package dev.sandglass.engine.route;

import dev.sandglass.wire.Refusal;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The part of a path at which a route begins: of {@code /api} what is below {@code /api/}, and {@code /api} itself.
 *
 * @param text empty for all paths, else without a slash at its end
 */
public record RoutePath(String text) {
    private static final Pattern FORM = Pattern.compile("(/[A-Za-z0-9_~!$&'()*+,=:@.-]+)*");
    private static final int LONGEST = 1024;

    public RoutePath {
        if (text.length() > LONGEST || !FORM.matcher(text).matches() || climbs(text)) {
            throw Refusal.of("path", text, "at most " + LONGEST + " characters, beginning with /, of plain segments that are not . or ..");
        }
    }

    static RoutePath of(String asked) {
        if (!asked.startsWith("/")) {
            throw Refusal.of("path", asked, "beginning with /");
        }
        return new RoutePath(asked.replaceAll("/+$", ""));
    }

    /**
     * What a path has behind this one, beginning with a slash, or empty if it is this one; nothing if it is elsewhere. One that might climb out of it in
     * the eyes of whoever reads it next is elsewhere.
     *
     * @param path as it stands in a request, beginning with a slash, without the query
     */
    public Optional<String> rest(String path) {
        if (text.isEmpty()) {
            return Optional.of(path);
        }
        boolean below = path.startsWith(text) && (path.length() == text.length() || path.charAt(text.length()) == '/');
        return below && !climbs(path) ? Optional.of(path.substring(text.length())) : Optional.empty();
    }

    /** Whether a segment is a dot or two, written in any way that some server takes for that. */
    private static boolean climbs(String path) {
        String plain = path.replaceAll("(?i)%2e", ".").replaceAll("(?i)%2f|%5c|\\\\", "/").replaceAll("(?i)%3b", ";");
        for (String segment : plain.split("/", -1)) {
            int parameters = segment.indexOf(';');
            String name = parameters < 0 ? segment : segment.substring(0, parameters);
            if (name.equals(".") || name.equals("..")) {
                return true;
            }
        }
        return false;
    }

    /** As people write it. */
    @Override
    public String toString() {
        return text.isEmpty() ? "/" : text;
    }
}
