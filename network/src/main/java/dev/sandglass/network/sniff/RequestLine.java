package dev.sandglass.network.sniff;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpMethod;

/** Whether bytes begin with the first line of a request. Parsers are generous with it, each in its own way, so it has one form here: one space, one version, ASCII. */
enum RequestLine {
    /** They do. */
    WHOLE,
    /** They may, when there are more. */
    PART,
    /** They begin with something that others might take for one. */
    WRONG,
    NONE;

    /** Servers read no longer lines. */
    private static final int LONGEST = 8192;
    /** Some servers take any word for a method. */
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]{1," + LONGEST + "}+";

    private static final Pattern FORM = Pattern.compile("(?:" + TOKEN + ") [!-~]++ HTTP/1\\.[01]\r?\n");
    private static final Pattern METHOD = Pattern.compile("(" + TOKEN + ")[ \t\u000b\f]");
    private static final Pattern VERSION = Pattern.compile("[ \t]HTTP/", Pattern.CASE_INSENSITIVE);
    /** What stands in no line of text. */
    private static final Pattern BINARY = Pattern.compile("[\\x00-\\x08\\x0e-\\x1f]");

    /**
     * The answer about a beginning holds for what comes after it: whoever sends a line in pieces chooses where they end. So a word and a space are part of a line until its end
     * is there, because some server takes any word for a method and forgives what follows; what begins with no word is no request, whatever follows.
     */
    @SuppressWarnings("JdkObsolete") // To know that more bytes may complete a match is what hitEnd() is for.
    static RequestLine of(ByteBuffer bytes) {
        String line = line(bytes);
        Matcher form = FORM.matcher(line);
        if (form.matches()) {
            return WHOLE;
        }
        if (form.hitEnd()) {
            return PART;
        }
        Matcher method = METHOD.matcher(line);
        if (!method.lookingAt()) {
            return NONE;
        }
        if (HttpMethod.INSENSITIVE_CACHE.get(method.group(1)) != null) {
            return WRONG;
        }
        Matcher binary = BINARY.matcher(line);
        String text = line.substring(0, Math.min(LONGEST, binary.find() ? binary.start() : line.length()));
        if (VERSION.matcher(text).find()) {
            return WRONG;
        }
        return text.length() < line.length() || line.endsWith("\n") ? NONE : PART;
    }

    /** Up to the end of the line, if that is there. */
    private static String line(ByteBuffer bytes) {
        int end = bytes.position();
        while (end < bytes.limit() && bytes.get(end++) != '\n') {}
        return StandardCharsets.ISO_8859_1.decode(bytes.slice(bytes.position(), end - bytes.position())).toString();
    }
}
