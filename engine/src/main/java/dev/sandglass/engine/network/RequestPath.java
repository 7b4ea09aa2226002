package dev.sandglass.engine.network;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The path of a request, in the two ways in which servers read paths. The plain one is that of RFC 3986: escapes of ordinary characters are undone, the others
 * stay. The loose one is that of the most forgiving server: every escape of ASCII is undone, as often as there is one, a backslash is a slash,
 * parameters after a semicolon are gone, and many slashes are one. A path with {@code .} or {@code ..} in it, in either reading, is refused: clients
 * resolve these themselves, and each server would go up from them to another place. So is one that begins with two slashes, which some read as the name of a host with a path after it.
 */
public final class RequestPath {
    static final int LONGEST = 8192;

    private static final int ESCAPE = 3;
    private static final int HEXADECIMAL = 16;
    private static final int ASCII = 0x80;
    private static final int DELETE = 0x7f;

    private final String plain;
    private final String loose;

    private RequestPath(String plain, String loose) {
        this.plain = plain;
        this.loose = loose;
    }

    /** The path of what stands in a request line, without the query; empty if it is none, or one that servers read too differently. */
    public static Optional<RequestPath> parse(String target) {
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        boolean visible = path.chars().allMatch(each -> each > ' ' && each < DELETE);
        if (path.length() > LONGEST || !path.startsWith("/") || path.startsWith("//") || !visible || path.indexOf('#') >= 0 || !hasWholeEscapes(path)) {
            return Optional.empty();
        }
        String undone = undone(path);
        List<String> segments = segments(undone);
        boolean control = undone.chars().anyMatch(each -> each < ' ' || each == DELETE);
        boolean overlong = undone.contains("%C0") || undone.contains("%C1"); // which came to light when others were undone
        if (control || overlong || segments.contains(".") || segments.contains("..")) {
            return Optional.empty();
        }
        return Optional.of(new RequestPath(plain(path), joined(segments)));
    }

    String plain() {
        return plain;
    }

    String loose() {
        return loose;
    }

    /** In UTF-8 no character begins with C0 or C1, but careless decoders make slashes and dots of them. */
    private static boolean hasWholeEscapes(String path) {
        for (int i = path.indexOf('%'); i >= 0; i = path.indexOf('%', i + 1)) {
            if (!isEscape(path, i) || escaped(path, i) == 0xc0 || escaped(path, i) == 0xc1) {
                return false;
            }
        }
        return true;
    }

    private static boolean isEscape(CharSequence text, int at) {
        return at >= 0
                && at + ESCAPE <= text.length()
                && text.charAt(at) == '%'
                && Character.digit(text.charAt(at + 1), HEXADECIMAL) >= 0
                && Character.digit(text.charAt(at + 2), HEXADECIMAL) >= 0;
    }

    private static char escaped(CharSequence text, int at) {
        return (char) Integer.parseInt(text, at + 1, at + ESCAPE, HEXADECIMAL);
    }

    private static String plain(String path) {
        StringBuilder plain = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); i++) {
            if (!isEscape(path, i)) {
                plain.append(path.charAt(i));
                continue;
            }
            String as = isOrdinary(escaped(path, i)) ? String.valueOf(escaped(path, i)) : path.substring(i, i + ESCAPE).toUpperCase(Locale.ROOT);
            plain.append(as);
            i += ESCAPE - 1;
        }
        return plain.toString();
    }

    /** What RFC 3986 calls unreserved. */
    private static boolean isOrdinary(char letter) {
        boolean letterOrDigit = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
        return letterOrDigit || "-._~".indexOf(letter) >= 0;
    }

    /** Each letter looks back: it may be the end of an escape that only came to light when others were undone. Those that stay have one spelling. */
    private static String undone(String path) {
        StringBuilder undone = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); i++) {
            undone.append(path.charAt(i));
            int start = undone.length() - ESCAPE;
            while (isEscape(undone, start) && escaped(undone, start) < ASCII) {
                char meant = escaped(undone, start);
                undone.setLength(start);
                undone.append(meant);
                start = undone.length() - ESCAPE;
            }
            if (isEscape(undone, start)) {
                undone.replace(start, undone.length(), undone.substring(start).toUpperCase(Locale.ROOT));
            }
        }
        return undone.toString();
    }

    private static List<String> segments(String undone) {
        List<String> segments = new ArrayList<>();
        for (String segment : undone.replace('\\', '/').split("/", -1)) {
            int parameters = segment.indexOf(';');
            segments.add(parameters < 0 ? segment : segment.substring(0, parameters));
        }
        return segments;
    }

    private static String joined(List<String> segments) {
        StringBuilder joined = new StringBuilder();
        for (String segment : segments) {
            if (!segment.isEmpty()) {
                joined.append('/').append(segment);
            }
        }
        return segments.getLast().isEmpty() ? joined.append('/').toString() : joined.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RequestPath path && path.plain.equals(plain);
    }

    @Override
    public int hashCode() {
        return plain.hashCode();
    }

    /** The plain reading; it parses to this path. */
    @Override
    public String toString() {
        return plain;
    }
}
