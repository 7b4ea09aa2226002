package dev.sandglass.engine.network;

import java.util.Optional;

/** Paths of requests: {@code /v1/models}, {@code /v1/*}. A {@code *} stands for any characters, slashes too, or none; the query does not count. */
public record PathPattern(RequestPath path) {
    static final int LONGEST = 1024;

    public static PathPattern parse(String text) {
        return parse(Word.of("path", text));
    }

    static PathPattern parse(Word written) {
        String text = written.text();
        boolean fits = text.length() <= LONGEST && text.indexOf('?') < 0 && text.indexOf(',') < 0;
        Optional<RequestPath> path = fits ? RequestPath.parse(text) : Optional.empty();
        return new PathPattern(path.orElseThrow(() -> written.refused("path", "a path like /v1/*, of at most " + LONGEST + " characters, without a query, commas, '.' and '..'")));
    }

    /** Whether it is one of these to a server that reads paths strictly. */
    boolean matchesPlain(RequestPath asked) {
        return matches(path.plain(), asked.plain());
    }

    /** Whether it is one of these to a server that forgives every spelling. */
    boolean matchesLoose(RequestPath asked) {
        return matches(path.loose(), asked.loose());
    }

    /** Goes back to the last star only: an earlier one could take up nothing that this one cannot. */
    private static boolean matches(String pattern, String text) {
        int at = 0;
        int star = -1;
        int taken = 0;
        for (int i = 0; i < text.length(); ) {
            if (at < pattern.length() && pattern.charAt(at) == '*') {
                star = at++;
                taken = i;
            } else if (at < pattern.length() && pattern.charAt(at) == text.charAt(i)) {
                at++;
                i++;
            } else if (star >= 0) {
                at = star + 1;
                i = ++taken;
            } else {
                return false;
            }
        }
        while (at < pattern.length() && pattern.charAt(at) == '*') {
            at++;
        }
        return at == pattern.length();
    }

    /** What parses to this pattern. */
    @Override
    public String toString() {
        return path.toString();
    }
}
