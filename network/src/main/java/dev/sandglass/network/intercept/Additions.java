package dev.sandglass.network.intercept;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;

/**
 * What is added to one request. A body that is changed is read whole before, so that its length can be said; one that is longer than that is passed on as it is.
 */
record Additions(List<Addition> all) {
    static final int MOST_BODY = 1 << 20;

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
                case Addition.Replacement(String placeholder, String value) -> query.replace(placeholder, encoded(value)).replace(encoded(placeholder), encoded(value));
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
        fields.clear();
        for (HttpField field : before) {
            String text = field.getValue();
            fields.add(text != null && text.contains(placeholder) ? new HttpField(field.getName(), text.replace(placeholder, value)) : field);
        }
    }

    /** Whether a body of that length, less than 0 if nobody said it, may have something to replace. */
    boolean concernsBody(long length) {
        return length > 0 && length <= MOST_BODY && all.stream().anyMatch(Addition.Replacement.class::isInstance);
    }

    /** The whole body with what goes there. */
    ByteBuffer body(Content.Source source) throws IOException {
        byte[] bytes = toArray(Content.Source.asByteBuffer(source));
        for (Addition each : all) {
            if (each instanceof Addition.Replacement(String placeholder, String value)) {
                // Byte for byte, whatever the body is.
                String text = new String(bytes, StandardCharsets.ISO_8859_1);
                bytes = text.replace(new String(placeholder.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1), new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1))
                        .getBytes(StandardCharsets.ISO_8859_1);
            }
        }
        return ByteBuffer.wrap(bytes);
    }

    private static byte[] toArray(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
