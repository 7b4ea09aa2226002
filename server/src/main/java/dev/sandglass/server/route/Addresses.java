package dev.sandglass.server.route;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpField;

/** Headers of an answer that have addresses in them, which are others outside than the program knows. */
final class Addresses {
    private static final Pattern REFRESH = Pattern.compile("(\\s*[0-9.]*\\s*[;,]\\s*(?:url\\s*=\\s*)?[\"']?)(/.*)", Pattern.CASE_INSENSITIVE);
    private static final Pattern LINK = Pattern.compile("<(/[^>]*)>");

    private Addresses() {}

    /** @param name of the field, plain */
    static HttpField outside(HttpField field, String name, Pass pass) {
        String value = String.valueOf(field.getValue());
        String moved = switch (name) {
            case "location", "content-location" -> pass.outside(value);
            case "refresh" -> refresh(value, pass);
            case "link" -> LINK.matcher(value).replaceAll(found -> Matcher.quoteReplacement("<" + pass.outside(found.group(1)) + ">"));
            default -> value;
        };
        return moved.equals(value) ? field : new HttpField(field.getName(), moved);
    }

    private static String refresh(String value, Pass pass) {
        Matcher parts = REFRESH.matcher(value);
        return parts.matches() ? parts.group(1) + pass.outside(parts.group(2)) : value;
    }
}
