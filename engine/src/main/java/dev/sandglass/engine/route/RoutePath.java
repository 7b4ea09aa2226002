package dev.sandglass.engine.route;

import dev.sandglass.engine.network.RequestPath;
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
        require("path", text);
    }

    /** @param field of the request in which it stands */
    static RoutePath of(String field, String asked) {
        if (!asked.startsWith("/")) {
            throw Refusal.of(field, asked, "beginning with /");
        }
        String text = asked.replaceAll("/+$", "");
        require(field, text);
        return new RoutePath(text);
    }

    private static void require(String field, String text) {
        if (text.length() > LONGEST || !FORM.matcher(text).matches() || mayClimb(text)) {
            throw Refusal.of(field, text, "at most " + LONGEST + " characters, beginning with /, of plain segments that are not . or ..");
        }
    }

    /**
     * What a path has behind this one, beginning with a slash, or empty if it is this one; nothing if it is elsewhere.
     *
     * @param path as it stands in a request, beginning with a slash, without the query
     */
    public Optional<String> rest(String path) {
        boolean below = path.startsWith(text) && (path.length() == text.length() || path.charAt(text.length()) == '/');
        return below ? Optional.of(path.substring(text.length())) : Optional.empty();
    }

    /** Where the query of an address begins, or what else is no path any more. */
    static int end(String address) {
        int end = 0;
        while (end < address.length() && address.charAt(end) != '?' && address.charAt(end) != '#') {
            end++;
        }
        return end;
    }

    /** Whether some server could take a path for one with a way up in it, however that is written. */
    static boolean mayClimb(String path) {
        return RequestPath.parse(path.isEmpty() ? "/" : path).isEmpty();
    }

    /** As people write it. */
    @Override
    public String toString() {
        return text.isEmpty() ? "/" : text;
    }
}
