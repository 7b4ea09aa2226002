package dev.sandglass.network.intercept;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;

/**
 * What is added to one request. A body that is changed is read whole before, so that its length can be said; one that is longer than that is passed on as it is.
 */
record Additions(List<Addition> all) {
    /** What is longer when something was put in is left as it was: a text of a few letters may stand for a secret of many, and be there often. */
    private static final int MOST_HEAD = 32 << 10;

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** The path and query with what goes there. */
    String target(String written) {
        int mark = written.indexOf('?');
        String path = mark < 0 ? written : written.substring(0, mark);
        String query = mark < 0 ? "" : written.substring(mark + 1);
        for (Addition each : all) {
            query = switch (each) {
                case Addition.Field _ -> query;
                case Addition.Parameter(String name, String value) -> with(query, name, value);
                case Addition.Replacement(String placeholder, String value) -> replaced(replaced(query, placeholder, encoded(value), MOST_HEAD), encoded(placeholder), encoded(value), MOST_HEAD);
            };
        }
        return query.isEmpty() ? path : path + "?" + query;
    }

    private static String with(String query, String name, String value) {
        List<String> others = query.isEmpty()
                ? List.of()
                : Arrays.stream(query.split("&")).filter(part -> !isCalled(part, name)).toList();
        List<String> parts = new ArrayList<>(others);
        parts.add(encoded(name) + "=" + encoded(value));
        return String.join("&", parts);
    }

    private static boolean isCalled(String part, String name) {
        int equals = part.indexOf('=');
        String written = equals < 0 ? part : part.substring(0, equals);
        try {
            return URLDecoder.decode(written, StandardCharsets.UTF_8).equals(name);
        } catch (IllegalArgumentException halfEscape) {
            return false;
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Puts in what goes into header fields. */
    void apply(HttpFields.Mutable fields) {
        for (Addition each : all) {
            switch (each) {
                case Addition.Field(String name, String value) -> fields.put(name, value);
                case Addition.Parameter _ -> {}
                case Addition.Replacement(String placeholder, String value) -> replace(fields, placeholder, value);
            }
        }
    }

    private static void replace(HttpFields.Mutable fields, String placeholder, String value) {
        List<HttpField> before = fields.stream().toList();
        long together = before.stream().map(HttpField::getValue).filter(Objects::nonNull).mapToLong(text -> grown(text, placeholder, value)).sum();
        if (together > MOST_HEAD) {
            return;
        }
        fields.clear();
        for (HttpField field : before) {
            String text = field.getValue();
            fields.add(text != null && text.contains(placeholder) ? new HttpField(field.getName(), text.replace(placeholder, value)) : field);
        }
    }

    private static String replaced(String text, String placeholder, String value, int most) {
        return grown(text, placeholder, value) > most ? text : text.replace(placeholder, value);
    }

    /** How long it would be. */
    private static long grown(String text, String placeholder, String value) {
        long length = text.length();
        for (int i = text.indexOf(placeholder); i >= 0; i = text.indexOf(placeholder, i + placeholder.length())) {
            length += value.length() - placeholder.length();
        }
        return length;
    }

    /** Whether a body of that length, less than 0 if nobody said it, may have something to replace. */
    boolean concernsBody(long length) {
        return length > 0 && length <= Bodies.MOST && all.stream().anyMatch(Addition.Replacement.class::isInstance);
    }

    /** A whole body with what goes there, byte for byte, whatever it is. */
    ByteBuffer body(byte[] written) {
        String text = new String(written, StandardCharsets.ISO_8859_1);
        for (Addition each : all) {
            if (each instanceof Addition.Replacement(String placeholder, String value)) {
                text = replaced(text, bytewise(placeholder), bytewise(value), 2 * Bodies.MOST);
            }
        }
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String bytewise(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
