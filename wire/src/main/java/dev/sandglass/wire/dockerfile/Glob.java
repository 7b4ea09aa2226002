package dev.sandglass.wire.dockerfile;

/** Patterns of one name. What it takes grows with the length of both, and no faster: patterns are anybody's. */
final class Glob {
    private Glob() {}

    static boolean matches(String pattern, String name) {
        int p = 0;
        int n = 0;
        int star = -1;
        int begun = 0;
        while (n < name.length()) {
            int after = p < pattern.length() && pattern.charAt(p) != '*' ? after(pattern, p, name.charAt(n)) : -1;
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                begun = n;
            } else if (after > 0) {
                p = after;
                n++;
            } else if (star >= 0) {
                p = star + 1;
                n = ++begun;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }

    /** Where the pattern goes on if what stands there means that character; else -1. */
    private static int after(String pattern, int at, char c) {
        char first = pattern.charAt(at);
        int close = first == '[' ? pattern.indexOf(']', at + 2) : -1;
        if (close > 0) {
            return isAmong(pattern.substring(at + 1, close), c) ? close + 1 : -1;
        }
        if (first == '\\' && at + 1 < pattern.length()) {
            return pattern.charAt(at + 1) == c ? at + 2 : -1;
        }
        return first == '?' || first == c ? at + 1 : -1;
    }

    private static boolean isAmong(String range, char c) {
        boolean not = range.startsWith("^");
        boolean found = false;
        for (int i = not ? 1 : 0; i < range.length(); i++) {
            boolean spans = i + 2 < range.length() && range.charAt(i + 1) == '-';
            found |= spans ? c >= range.charAt(i) && c <= range.charAt(i + 2) : c == range.charAt(i);
            i += spans ? 2 : 0;
        }
        return found != not;
    }
}
